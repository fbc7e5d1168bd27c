import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discounted, total } from './cart.js';

test('adds up price times quantity', () => {
  assert.equal(total([{ price: 250, quantity: 2 }, { price: 100, quantity: 1 }]), 600);
});

test('counts a line without a quantity once', () => {
  assert.equal(total([{ price: 250 }]), 250);
});

test('takes the discount off', () => {
  assert.equal(discounted([{ price: 1000, quantity: 1 }], 15), 850);
});

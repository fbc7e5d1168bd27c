/** Names of keys in the words of the services (xdotool, `CTRL`), by their `KeyboardEvent.key`. */
const NAMES = new Map(
  Object.entries({
    Control: 'ctrl control control_l control_r',
    Alt: 'alt option alt_l alt_r',
    Shift: 'shift shift_l shift_r',
    Meta: 'meta super super_l super_r cmd command win windows',
    Enter: 'enter return kp_enter',
    Escape: 'esc escape',
    Backspace: 'backspace',
    Delete: 'del delete',
    Insert: 'ins insert',
    Tab: 'tab',
    ' ': 'space',
    ArrowUp: 'up arrowup',
    ArrowDown: 'down arrowdown',
    ArrowLeft: 'left arrowleft',
    ArrowRight: 'right arrowright',
    PageUp: 'pageup page_up pgup prior',
    PageDown: 'pagedown page_down pgdn next',
    Home: 'home',
    End: 'end',
  }).flatMap(([name, others]) => others.split(' ').map((other) => [other, name] as const)),
);

/** A key by its name in `KeyboardEvent.key`, as far as it is known. */
export function keyName(said: string): string {
  return NAMES.get(said.toLowerCase()) ?? (/^f\d{1,2}$/i.test(said) ? said.toUpperCase() : said);
}

/** The keys of a combination such as `ctrl+shift+s`; the key `+` may stand in it. */
export function keysIn(combination: string): readonly string[] {
  return combination
    .replace(/(^|\+)\+$/, '$1plus')
    .split('+')
    .map((key) => (key === 'plus' ? '+' : keyName(key)));
}

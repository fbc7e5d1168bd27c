const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_LENGTH = 10;
const CLOCK = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?/;
const OFFSET = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/;
const MINUTES_OF_DAY = 24 * 60;
const WEEKS = /^\d+W$/;
const DAYS = /^(?:\d+Y)?(?:\d+M)?(?:\d+D)?$/;
const HOURS = /^(?:\d+H)?(?:\d+M)?(?:\d+S)?$/;

/** `full-date` of RFC 3339 section 5.6. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

/** `full-time` of RFC 3339 section 5.6, leap seconds included; the offset may be without its colon or its minutes. */
export function isTime(text: string, zoned: boolean): boolean {
  const [clock, hour, minute, second] = CLOCK.exec(text) ?? [];
  if (clock === undefined) return false;
  const zone = text.slice(clock.length);
  if (zone === '' && zoned) return false;
  const offset = zone === '' ? 0 : offsetOf(zone);
  if (offset === undefined) return false;
  if (second !== '60') return true;
  // A leap second is the last of a day in universal time.
  const universal = Number(hour) * 60 + Number(minute) - offset;
  return (universal + MINUTES_OF_DAY) % MINUTES_OF_DAY === MINUTES_OF_DAY - 1;
}

/** `time-offset`, in minutes. */
function offsetOf(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const [, sign, hours, minutes = 0] = OFFSET.exec(zone) ?? [];
  if (hours === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** `date-time` of RFC 3339 section 5.6, with any white space for the `T`; without a zone, ISO 8601 too. */
export function isDateTime(text: string, zoned: boolean): boolean {
  const isApart = /^[Tt\s]$/.test(text.charAt(DATE_LENGTH));
  return isApart && isDate(text.slice(0, DATE_LENGTH)) && isTime(text.slice(DATE_LENGTH + 1), zoned);
}

/** `duration` of RFC 3339 appendix A; units may be skipped, as ISO 8601 has it. */
export function isDuration(text: string): boolean {
  if (!text.startsWith('P')) return false;
  const [days, hours, ...more] = text.slice(1).split('T');
  if (days === undefined || more.length > 0) return false;
  if (hours === undefined) return days !== '' && (WEEKS.test(days) || DAYS.test(days));
  return hours !== '' && DAYS.test(days) && HOURS.test(hours);
}

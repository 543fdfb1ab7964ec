import { all, type Range } from '../range.ts'

/** Fourteen to nineteen digits, in one piece or in groups with the same separator. */
const DIGITS =
  /(?:(?<![\w.+$@/-]|\d,)|(?<=\\[nrt+]|[[=_]|^[+-]|%B))(?:\d{14,19}|\d{4}([ \u00a0-])\d{4,6}\1\d{4,5}(?:\1\d{1,4}){0,2})(?![\w@]|[.-]\d|\.[a-z]|\1\d)/gm

/** The prefixes of each brand's numbers, with their lengths. */
const BRANDS =
  /^(?:4\d{15}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|(?:6011|64[4-9]\d|65\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|220[0-4]\d{12}|(?:5018|5020|5038|6304|6759|676[1-3])\d{10,15}|62\d{14,17})$/

/** The name shows that it is another kind of number. */
const OTHER_NUMBER =
  /(?:\bid|_id|Id|ID|time|stamp|ts|seq|offset|count|size|bytes|nonce|port|imei|IMEI)\\*["']?[ \t]*[:=]?[ \t]*\\*["']?$/
const UNIT = /^[ \t]*(?:ns|us|ms|bytes|B|kB|KiB|MiB|ops)\b/

/**
 * Payment card numbers: a brand's prefix and length, grouped as on the card or not at all, and a correct check digit.
 */
export function findCards(text: string, into: Range[]): void {
  for (const found of all(DIGITS, text)) {
    const digits = found[0].replaceAll(/\D/g, () => '')
    if (!BRANDS.test(digits) || !isChecked(digits) || /^(\d)\1+$/.test(digits)) continue
    const { index: start } = found
    const end = start + found[0].length
    if (found[1] !== undefined && isInRow(text, start, end, found[1])) continue
    if (OTHER_NUMBER.test(text.slice(Math.max(0, start - 30), start)) || UNIT.test(text.slice(end, end + 10))) continue
    into.push({ start, end })
  }
}

/** More numbers with the same separator: a table, not a card. */
const isInRow = (text: string, start: number, end: number, sign: string): boolean =>
  (text[start - 1] === sign &&
    /(?<![A-Za-z0-9])(?=[A-F]*\d)[\dA-F]{2,6}$/i.test(text.slice(Math.max(0, start - 8), start - 1))) ||
  (text[end] === sign && /\d/.test(text[end + 1] ?? ''))

/** Whether the check digit is correct (Luhn). */
function isChecked(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    const twice = i % 2 === 1 ? digit * 2 : digit
    sum += twice > 9 ? twice - 9 : twice
  }
  return sum % 10 === 0
}

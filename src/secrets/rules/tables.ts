import { all, type Range } from '../range.ts'
import { strengthOf } from './names.ts'
import { isPasswordLike, isPlain, isUuid } from './values.ts'

/** Secrets in a column whose heading names them: in tables of Markdown and of databases, in CSV, in SQL. */
export function findInTables(text: string, into: Range[]): void {
  // A row of one table is not the head of another: each row is read once.
  let done = 0
  for (const { index, 0: rule } of all(RULE, text))
    if (index >= done)
      done = findInRows(text, text.slice(lineStart(text, index), index), index + rule.length, '|', into)
  done = 0
  for (const { index } of all(NAME, text)) if (index >= done) done = findInList(text, index, into)
  if (!/\bvalues\b/i.test(text)) return
  for (const found of all(INSERT, text)) findInValues(found, into)
  for (const found of all(INSERT_USER, text)) findInNamelessValues(found, into)
}

const NEXT = '(?:\\r?\\n|\\\\+n)'
/** The rule below a table's head. */
const RULE = new RegExp(`${NEXT}[+>]?[ \\t]*[|+]?[ \\t]*:?-{2,}[-|+: \\t]*${NEXT}`, 'g')
/** The name of a secret at the end of a cell, as in the head of a list of values. */
const NAME = /(?:pass(?:word|wd)?|pwd|secret|密码|口令|密碼)[\w ]{0,12}(?=[,;\t]|\\+t|\r?\n|\\+n)/gi
const CELLS = /^[+>]?[\p{L}\d_ -]{1,40}(?:([,;\t]|\\+t)[\p{L}\d_ -]{1,40})(?:\1[\p{L}\d_ -]{1,40}){0,30}$/u

/** Handles a line that consists of names as the head of what follows. Returns where that ends. */
function findInList(text: string, at: number, into: Range[]): number {
  const end = at + lineEnd(text.slice(at, at + LONGEST_HEAD), 0)
  const head = text.slice(lineStart(text, at), end)
  const sign = CELLS.exec(head)?.[1]
  return sign === undefined ? end : findInRows(text, head, nextLine(text, end), sign, into)
}

const nextLine = (text: string, end: number): number =>
  end + (/^(?:\r?\n|\\+n)/.exec(text.slice(end, end + 6))?.[0].length ?? text.length)

const HEAD = /pass|pwd|secret|token|密码|口令|密碼/i

/** Reads the rows below the head as long as they have the same number of cells. Returns where they end. */
function findInRows(text: string, head: string, from: number, sign: string, into: Range[]): number {
  if (!HEAD.test(head)) return 0
  const cells = head.replace(/^[+>]/, () => '').split(sign)
  const columns = cells.flatMap((name, i) => (strengthOf(name.trim()) === 'sure' ? [i] : []))
  if (columns.length === 0) return 0
  let at = from
  while (at < text.length) {
    const end = lineEnd(text, at)
    const row = text.slice(at, end).split(sign)
    if (row.length !== cells.length) return at
    for (const column of columns) pushCell(row, column, at, sign.length, into)
    at = nextLine(text, end)
  }
  return at
}

function lineStart(text: string, end: number): number {
  const before = text.slice(Math.max(0, end - LONGEST_HEAD), end)
  return end - before.length + (/^[^]*(?:\n|\\n)/.exec(before)?.[0].length ?? 0)
}
const LONGEST_HEAD = 500

function lineEnd(text: string, at: number): number {
  const end = /\r?\n|\\+n/g
  end.lastIndex = at
  return end.exec(text)?.index ?? text.length
}

function pushCell(row: readonly string[], column: number, at: number, width: number, into: Range[]): void {
  const before = row.slice(0, column).reduce((sum, cell) => sum + cell.length + width, 0)
  const cell = row[column] ?? ''
  const value = cell.trim().replaceAll(/^["'`]|["'`]$/g, () => '')
  if (!isWorth(value)) return
  const start = at + before + cell.indexOf(value)
  into.push({ start, end: start + value.length })
}

const isWorth = (value: string): boolean =>
  value.length >= 4 && !/\s/.test(value) && !isPlain(value) && !value.startsWith('(')

/** `INSERT INTO users (email, password) VALUES ('…', '…')` */
const INSERT =
  /\binto\s+[\w.`"[\]]+\s*\(([^()]{1,500})\)\s*values\s*(\((?:[^()'\n]|'(?:[^'\n]|'')*')*\)(?:\s*,\s*\((?:[^()'\n]|'(?:[^'\n]|'')*')*\))*)/gi
/** The same without column names, into a table of people: only values that can be nothing but a password. */
const INSERT_USER =
  /\binto\s+[`"[]?(?:users?|accounts?|members?|admins?|logins?|credentials)[`"\]]?\s+values\s*(\((?:[^()'\n]|'(?:[^'\n]|'')*')*\))/gi
const STRONG = /^(?=.*[a-z])(?=.*\d)(?=.*[A-Z!@#$%^&*?]).{6,}$/

function findInNamelessValues(found: RegExpExecArray, into: Range[]): void {
  const row = found[1] ?? ''
  const at = found.index + found[0].length - row.length
  for (const { index, 0: whole, 1: value } of all(FIELD, row))
    if (value !== undefined && STRONG.test(value) && isPasswordLike(value) && !isUuid(value)) {
      const end = at + index + whole.length - 1
      into.push({ start: end - value.length, end })
    }
}

const FIELD = /\s*(?:'((?:[^'\n]|'')*)'|[^,()']+)/g

function findInValues(found: RegExpMatchArray, into: Range[]): void {
  const names = (found[1] ?? '').split(',').map((name) => name.replaceAll(/[\s`"[\]\\]/g, () => ''))
  const columns = new Set(names.flatMap((name, i) => (strengthOf(name) === 'sure' ? [i] : [])))
  if (columns.size === 0) return
  const rows = found[2] ?? ''
  const at = (found.index ?? 0) + found[0].length - rows.length
  for (const row of all(/\((?:[^()'\n]|'(?:[^'\n]|'')*')*\)/g, rows))
    for (const [i, field] of all(FIELD, row[0]).entries())
      if (columns.has(i) && field[1] !== undefined && isWorth(field[1])) {
        const end = at + row.index + field.index + field[0].length - 1
        into.push({ start: end - field[1].length, end })
      }
}

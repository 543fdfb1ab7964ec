import { hasAny, surelyHas, textOf, valuesOf } from '../options.ts'
import type { Run } from '../run.ts'

/** Clients of databases: what they change is in the database, but for files they are told to write. */
type Special = (run: Run) => void

const sqlite: Special = (run) => {
  const options = run.options('-cmd --cmd -init --init -separator -nullvalue -newline', { longOnly: true })
  const [file = [':memory:'], ...sql] = options.operands
  const given = [...valuesOf(options, '-cmd --cmd'), ...sql].map(textOf)
  const texts = sql.length === 0 && run.stdin !== undefined ? [...given, run.stdin] : given
  const isTyped = sql.length === 0 && run.stdin === undefined
  const statements = texts.flatMap(sqlStatements)
  // What it is told to read, and what is typed, may be anything.
  if (isTyped || hasAny(options, '-init --init') || statements.some(writesFiles)) run.here()
  if (surelyHas(options, '-readonly --readonly') || textOf(file) === ':memory:') return
  if (isTyped || !statements.every(reads))
    run.deed(
      'all',
      ['', '-journal', '-wal', '-shm'].map((suffix) => file.map((path) => path + suffix)),
    )
}

/** SQL ends at a semicolon, SQLite's own commands end with their line. Comments before either are left out. */
function sqlStatements(text: string): string[] {
  const found: string[] = []
  const pattern = /(?:\s|;|--[^\n]*(?:\n|$)|\/\*[^]*?\*\/)*(\.[^\n]*|[^;]+|$)/y
  while (pattern.lastIndex < text.length) {
    const [whole, statement] = pattern.exec(text) ?? []
    if (!whole) break
    if (statement) found.push(statement.trim())
  }
  return found
}

/** Commands of SQLite that only look, or say how things are shown. */
const LOOKS =
  /^\.(tables|schema|indexes|indices|databases|dbinfo|mode|headers?|width|fullschema|help|show|stats|dump|print|echo|timer|nullvalue|separator|bail|changes|eqp|explain|version|quit|exit|output stdout)\b/i

/** Those that change the database and nothing else. */
const CHANGES = /^\.(import|restore)\b/i

const READS = /^(select|values|explain|with\b(?![^]*\b(insert|update|delete|replace\s+into)\b))/i

/** Settings are read without a value, and lists with the name of a table. */
const READS_SETTING =
  /^pragma\s+(?!\S*(optimize|wal_checkpoint|incremental_vacuum))[\w.]+\s*$|^pragma\s+[\w.]*(_x?info|_list|_check)\s*(\([^)]*\))?\s*$/i

const reads = (statement: string): boolean =>
  statement.startsWith('.') ? !CHANGES.test(statement) : READS.test(statement) || READS_SETTING.test(statement)

/** Whether a statement may write files besides the database. */
const writesFiles = (statement: string): boolean =>
  statement.startsWith('.')
    ? !LOOKS.test(statement) && !CHANGES.test(statement)
    : /\b(attach|writefile|load_extension|edit|vacuum\s+into)\b/i.test(statement)

/** Commands of psql that write a file, or run what may write one; they begin a line, only `\\g` ends one. */
const PSQL_WRITES =
  /(?:^|\n)\s*\\(?:(?:o|out|w|write|s|i|ir|include|include_relative|!|e|edit|ef|ev|lo_export)(?![a-z_])|copy\b[^\n]*\bto\s+(?!p?stdout\b))|\\gx?(?:[ \t]+[^\s;]|\s*\|)/i

/** Those of the client of MySQL, by name or letter; and where the server writes a file. */
const MYSQL_WRITES = /(?:^|[;\n])\s*(?:\\[T.!P]|(?:tee|source|system|pager)\s)|\binto\s+(?:outfile|dumpfile)\b/

/** What a client is told: options with a value, those that name a file it writes, those with a script, those with a file of it. */
interface Client {
  readonly takes: string
  readonly out: string
  readonly script: string
  readonly file: string
  readonly writes: RegExp
}

const client =
  ({ takes, out, script, file, writes }: Client): Special =>
  (run) => {
    const options = run.options(takes)
    run.deed('all', valuesOf(options, out))
    const texts = [...valuesOf(options, script).map(textOf), ...(run.stdin === undefined ? [] : [run.stdin])]
    if (hasAny(options, file) || texts.some((text) => writes.test(text))) run.here()
  }

const psql = client({
  takes:
    'c d h p U o f L v P F R T --command --dbname --host --port --username --output --file --log-file --set --variable --pset',
  out: '-o -L --output --log-file',
  script: '-c --command',
  file: '-f --file',
  writes: PSQL_WRITES,
})

const mysql = client({
  takes: 'e h u P D S p? --execute --host --user --port --database --socket --tee',
  out: '--tee',
  script: '-e --execute',
  file: '--init-command',
  writes: MYSQL_WRITES,
})

export const DATABASES: readonly (readonly [name: string, run: Special])[] = [
  ['sqlite3', sqlite],
  ['psql', psql],
  ['mysql', mysql],
  ['mariadb', mysql],
]

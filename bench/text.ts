import { between, mix, pick, type Random, randomFrom } from './random.ts'
import { ENTRIES, FIELDS, LICENCES, OPENERS, PROSE, SIGNATURES, STATEMENTS, WORDS } from './words.ts'

/** A line with slots, taken apart once: text, slot, text, slot, …, text. */
type Template = readonly string[]

const compile = (lines: readonly string[]): readonly Template[] => lines.map((line) => line.split(/\$([fpgTnqs])/))

const templates = {
  statements: compile(STATEMENTS),
  openers: compile(OPENERS),
  signatures: compile(SIGNATURES),
  fields: compile(FIELDS),
  entries: compile(ENTRIES),
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

function identifier(random: Random): string {
  const words = Array.from({ length: between(random, 1, 3) }, () => pick(random, WORDS))
  return words.map((word, at) => (at === 0 ? word : capital(word))).join('')
}

const identifiers = (seed: number, count: number): readonly string[] => {
  const random = randomFrom(seed)
  return Array.from({ length: count }, () => identifier(random))
}

/** Chosen so that the files shrink as those of real repositories do: to 30 % alone, 19 % a megabyte at a time. */
const REPEATED = 0.62

const EVERYWHERE = identifiers(1, 400)

/** The names that the files of one package have in common. */
export function packageNames(seed: number): readonly string[] {
  return identifiers(seed, 500)
}

function prose(random: Random, words: number): string {
  let text = ''
  for (let left = words; left > 0; left--) {
    text += random() < 0.6 ? pick(random, PROSE, 1.6) : pick(random, WORDS)
    if (left > 1) text += ' '
  }
  return text
}

/** Text of one source file, written line by line until it is long enough. */
class Page {
  text = ''
  readonly #random: Random
  readonly #names: readonly string[]
  readonly #local: readonly string[]
  readonly #filled = new Map<Template, string>()

  constructor(random: Random, names: readonly string[]) {
    this.#random = random
    this.#names = names
    this.#local = Array.from({ length: 16 }, () => (random() < 0.6 ? pick(random, names, 2) : identifier(random)))
  }

  head(target: number): void {
    const random = this.#random
    if (target > 1500 && random() < 0.6) this.text += `${pick(random, LICENCES)}\n`
    for (let left = Math.min(12, target / 400); left > 0; left--) this.#import()
    this.text += '\n'
  }

  block(): void {
    const chance = this.#random()
    if (chance < 0.12) this.#shape(`export interface ${capital(this.#slot('f'))} {`, templates.fields, '}')
    else if (chance < 0.22) this.#shape(`const ${this.#slot('f')} = {`, templates.entries, '}')
    else this.#function()
    this.text += '\n'
  }

  #import(): void {
    const random = this.#random
    const from = random() < 0.7 ? `../${pick(random, WORDS)}/${this.#slot('p')}.ts` : `@${pick(random, WORDS)}/core`
    this.text += `import { ${this.#slot('p')}, ${this.#slot('T')} } from '${from}'\n`
  }

  #shape(head: string, lines: readonly Template[], tail: string): void {
    this.text += `${head}\n`
    for (let left = between(this.#random, 3, 12); left > 0; left--) this.#line('  ', pick(this.#random, lines))
    this.text += `${tail}\n`
  }

  #function(): void {
    const random = this.#random
    if (random() < 0.4) this.text += `/** ${capital(prose(random, between(random, 5, 14)))}. */\n`
    const head = pick(random, templates.signatures)
    this.#line('', head)
    this.#body('  ', between(random, 3, 11))
    this.text += head.at(-1)?.endsWith('=> {') ? '})\n' : '}\n'
  }

  #body(indent: string, lines: number): void {
    const random = this.#random
    for (let left = lines; left > 0; left--) {
      if (indent.length < 8 && random() < 0.18) this.#nest(indent)
      else this.#line(indent, pick(random, templates.statements, 1.3))
    }
  }

  #nest(indent: string): void {
    const opener = pick(this.#random, templates.openers)
    this.#line(indent, opener)
    this.#body(`${indent}  `, between(this.#random, 1, 4))
    const close = opener[0] === 'try {' ? '} finally {}' : opener.at(-1)?.endsWith('=> {') ? '})' : '}'
    this.text += `${indent + close}\n`
  }

  /** Code repeats itself: a share of the lines is one of the file's earlier lines of the same form. */
  #line(indent: string, template: Template): void {
    const earlier = this.#filled.get(template)
    const line = earlier !== undefined && this.#random() < REPEATED ? earlier : this.#fill(template)
    this.#filled.set(template, line)
    this.text += `${indent + line}\n`
  }

  #fill(template: Template): string {
    let line = ''
    for (let at = 0; at < template.length; at++) {
      const part = template[at] as string
      line += at % 2 === 0 ? part : this.#slot(part)
    }
    return line
  }

  #slot(slot: string): string {
    const random = this.#random
    if (slot === 'f') return pick(random, this.#local, 2)
    if (slot === 'p') return pick(random, this.#names, 4)
    if (slot === 'g') return pick(random, EVERYWHERE, 3)
    if (slot === 'T') return capital(pick(random, this.#names, 4))
    if (slot === 'n') return String(random() < 0.7 ? between(random, 0, 10) : between(random, 0, 5000))
    if (slot === 'q') return `'${pick(random, WORDS)}'`
    return prose(random, between(random, 3, 8))
  }
}

/** Source-like text of about `target` bytes, all ASCII; the same for the same seed. */
export function sourceText(seed: number, names: readonly string[], target: number): string {
  const page = new Page(randomFrom(mix(seed, 7)), names)
  page.head(target)
  while (page.text.length < target) page.block()
  return page.text.slice(0, page.text.lastIndexOf('\n', target) + 1 || undefined)
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the package that a bundled file comes from; undefined for a file of our own. */
const packageOf = (file: string): string | undefined => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  const text = file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
  return `${name} ${version} (${license})${text}`
}

/** The licences of all packages from which these files come, one after the other, by name. */
export function licences(files: Iterable<string>): string {
  const folders = new Set([...files].flatMap((file) => packageOf(file) ?? []))
  const texts = [...folders].filter((folder) => existsSync(join(folder, 'package.json'))).map(licenceOf)
  return `This program contains code of these packages.\n\n${texts.toSorted().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

// The section of the changelog that tells of one version; before it has one, what is not released yet.
import { readFileSync } from 'node:fs'
import { inRoot } from '../setup/run.mjs'

export function sectionOf(version: string, text = readFileSync(inRoot('CHANGELOG.md'), 'utf8')): string {
  const sections = text.split(/^(?=## )/m)
  const titled = (title: string) => sections.find(section => section.startsWith(`## ${title}`))
  const section = titled('Unreleased') ?? titled(version) ?? titled(`[${version}]`)
  if (section === undefined) throw new Error(`CHANGELOG.md tells nothing of ${version}`)
  return `${section.trim()}\n`
}

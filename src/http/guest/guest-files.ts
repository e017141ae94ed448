// The style and the script of the pages of guests, as they lie beside this file.
import { readFileSync } from 'node:fs'

const beside = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

export const STYLE = beside('page.css')
export const SCRIPT = beside('page.js')

// The style and the scripts of walls, as they lie beside this file.
import { readFileSync } from 'node:fs'

const beside = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

export const wallFiles = {
  'wall.css': { type: 'text/css; charset=utf-8', text: beside('wall.css') },
  'wall.js': { type: 'text/javascript; charset=utf-8', text: beside('wall.js') },
  'away.js': { type: 'text/javascript; charset=utf-8', text: beside('away.js') },
}

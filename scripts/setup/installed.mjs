// Tells what npm has installed: joined packages are loaded only beside what they were joined from.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The SHA-256 of npm's own list, as `src/kit/fast-imports.ts` reckons it. Throws where npm left no list.
 * @param {string} project
 */
export const installedIn = project =>
  createHash('sha256')
    .update(readFileSync(join(project, 'node_modules/.package-lock.json')))
    .digest('hex')

// A page in a real browser for as long as an event lasts: does it stay whole, and its memory flat? npm run soak -- --of wall --minutes 60
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { of: { type: 'string', default: 'wall' }, minutes: { type: 'string' }, tasks: { type: 'string' } },
})
const minutes = Number(values.minutes ?? (values.of === 'console' ? 20 : 60))
const tasks = Number(values.tasks ?? 5_000)
if (!(minutes > 0) || !(tasks > 0) || !['wall', 'console'].includes(values.of)) {
  console.error('--of must be wall or console; --minutes and --tasks must be numbers above 0')
  process.exit(2)
}
const errors =
  values.of === 'wall'
    ? await (await import('./soak/wall.ts')).soakWall(minutes)
    : await (await import('./soak/console.ts')).soakConsole(minutes, tasks)
for (const error of errors) console.log(`- ${error}`)
process.exit(errors.length === 0 ? 0 : 1)

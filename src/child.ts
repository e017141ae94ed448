// The first file of a media child: sets up how imports are found, then loads the rest.
import '#kit/fast-imports.ts'

await import('./child-parts.ts')

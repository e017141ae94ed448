// The first file of a media child: nothing is loaded before the joined packages are known.
import '#kit/fast-imports.ts'

await import('./child-parts.ts')

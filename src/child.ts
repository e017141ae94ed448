// The first file of a media child: nothing is loaded before the joined packages are known.
import '#kit/joined-packages.ts'

await import('./child-parts.ts')

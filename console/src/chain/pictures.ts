// Pictures of what adapters do, before and after: those of the documentation, fetched when they come into view.
const found = import.meta.glob<string>('../../../docs/adapters/images/*.jpg', {
  query: '?url',
  import: 'default',
  eager: true,
})

const byName = new Map(
  Object.entries(found).map(([path, url]) => [path.slice(path.lastIndexOf('/') + 1, -'.jpg'.length), url]),
)

export const adapterPicture = (name: string): string | undefined => byName.get(name)

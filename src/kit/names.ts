// Names that look the same are the same: new ones are kept in one form, and each is found in whatever form it is asked for.

/** NFC: a letter with its mark is one code point. File names of macOS come in the other form. */
export const nameForm = (name: string): string => name.normalize('NFC')

/** The forms in which a name may be kept since before, its very bytes first. */
export const nameForms = (name: string): string[] => [...new Set([name, name.normalize('NFC'), name.normalize('NFD')])]

/** That of these names which is meant. Two that only look the same are from before, and each is meant by its very bytes. */
export function meant(names: Iterable<string>, wanted: string): string | undefined {
  const known = new Set(names)
  return nameForms(wanted).find(form => known.has(form))
}

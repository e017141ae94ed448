// The rules of Spectral for the document of the API: all of its OpenAPI set, but those that are off, each for a reason.
export const rules = {
  // Whoever runs a deployment is its contact; the document can't know them.
  'info-contact': 'off',
  // OpenAPI 3.1 names a licence by its `identifier` and forbids a `url` beside it.
  'license-url': 'off',
  // Tags stand in the order in which people need them: tasks first.
  'openapi-tags-alphabetical': 'off',
  // The paths of the contract end with a slash; each is served without it too.
  'path-keys-no-trailing-slash': 'off',
  // It takes `items: false`, which ends a tuple, for none. Our own test looks at tuples.
  'array-items': 'off',
} as const

// Writes a brotli and a gzip file beside each file of text that is built, so that the service compresses nothing while guests wait.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = 'dist/**/*.{js,css,html,svg,json,webmanifest}'
/** What is smaller gains nothing. */
const LEAST_BYTES = 1_024

export const precompressed = (): Plugin => ({
  name: 'precompressed',
  apply: 'build',
  closeBundle() {
    for (const file of globSync(TEXT, { cwd: import.meta.dirname })) {
      const path = `${import.meta.dirname}/${file}`
      const bytes = readFileSync(path)
      if (bytes.length < LEAST_BYTES) continue
      writeFileSync(`${path}.br`, brotliCompressSync(bytes))
      writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    }
  },
})

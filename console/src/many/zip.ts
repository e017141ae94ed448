// Downloads many files as one archive: asked first whether it can be made, then saved by the browser without passing through the page.

import { ApiError, request } from '../api/client.ts'
import { t } from '../words/t.ts'

export async function downloadZip(url: string): Promise<void> {
  try {
    await request(url, { method: 'HEAD' })
  } catch (error) {
    throw error instanceof ApiError ? new Error(words[error.status] ?? error.message) : error
  }
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}

const words: Record<number, string> = {
  400: t('An archive takes at most 500 files, or 300 that are selected one by one. Choose fewer.'),
  404: t('None of these has a finished file that is still kept.'),
  413: t('An archive takes at most 16 GiB. Choose fewer.'),
}

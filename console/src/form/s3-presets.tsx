// Where a bucket lies, by the name of the provider: fills in the address, the region and the style of addresses.

import { useState } from 'react'
import type { JsonObject } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { t } from '../words/t.ts'

interface Provider {
  name: string
  /** What the provider's own pages call the part that its addresses hold; none: there is a whole address to type. */
  asks: 'region' | 'account' | 'address'
  example: string
  fill(answer: string): { bucket_url: string; region: string; url_style: 'path' | 'virtual' }
}

const host = (of: (region: string) => string, url_style: 'path' | 'virtual' = 'path') => ({
  fill: (region: string) => ({ bucket_url: `https://${of(region)}`, region, url_style }),
})

export const providers: Record<string, Provider> = {
  aws: {
    name: 'Amazon S3',
    asks: 'region',
    example: 'eu-central-1',
    ...host(region => `s3.${region}.amazonaws.com`, 'virtual'),
  },
  r2: {
    name: 'Cloudflare R2',
    asks: 'account',
    example: '0123456789abcdef0123456789abcdef',
    fill: account => ({ bucket_url: `https://${account}.r2.cloudflarestorage.com`, region: 'auto', url_style: 'path' }),
  },
  b2: {
    name: 'Backblaze B2',
    asks: 'region',
    example: 'eu-central-003',
    ...host(region => `s3.${region}.backblazeb2.com`),
  },
  minio: {
    name: 'MinIO',
    asks: 'address',
    example: 'https://minio.example.com',
    fill: address => ({ bucket_url: address, region: 'us-east-1', url_style: 'path' }),
  },
  wasabi: {
    name: 'Wasabi',
    asks: 'region',
    example: 'eu-central-1',
    ...host(region => `s3.${region}.wasabisys.com`),
  },
  spaces: {
    name: 'DigitalOcean Spaces',
    asks: 'region',
    example: 'fra1',
    ...host(region => `${region}.digitaloceanspaces.com`, 'virtual'),
  },
}

const questions = { region: t('Region'), account: t('Account id'), address: t('Address') }

export function S3Presets({ values, onChange }: { values: JsonObject; onChange(preset: JsonObject): void }) {
  const [chosen, setChosen] = useState('')
  const [answer, setAnswer] = useState('')
  const provider = providers[chosen]
  const given = answer.trim()
  const isFilled =
    provider !== undefined &&
    given !== '' &&
    provider.fill(given).bucket_url === (values.bucket_url as string | undefined)
  return (
    <div className="space-y-3 rounded-card border border-line bg-well p-4">
      <SelectField
        label={t('Provider')}
        value={chosen}
        onChange={event => {
          setChosen(event.target.value)
          setAnswer('')
        }}
        help={t('Fills in the address of the store, the region and how addresses are written.')}
      >
        <option value="">{t('Another, or filled in by hand')}</option>
        {Object.entries(providers).map(([key, { name }]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </SelectField>
      {provider && (
        <div className="flex flex-wrap items-end gap-2">
          <div className="min-w-48 flex-1">
            <TextField
              key={chosen}
              label={questions[provider.asks]}
              placeholder={provider.example}
              value={answer}
              spellCheck={false}
              onChange={event => setAnswer(event.target.value)}
            />
          </div>
          <Button disabled={given === ''} onClick={() => onChange(provider.fill(given))}>
            {isFilled ? t('Filled in') : t('Fill in')}
          </Button>
        </div>
      )}
    </div>
  )
}

// The keys, in one place.

import type { ReactNode } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { t } from '../words/t.ts'

const keys: [string, [string[], string][]][] = [
  [
    t('Everywhere'),
    [
      [[t('Ctrl'), 'K'], t('Find guests, tasks, configurations and pages')],
      [['?'], t('Show these keys')],
      [['Esc'], t('Close what is open')],
    ],
  ],
  [
    t('In a list of tasks'),
    [
      [['J'], t('Next task')],
      [['K'], t('Task before')],
      [['Enter'], t('Open it')],
      [['X'], t('Select it, or no longer')],
      [['R'], t('Retry what is selected')],
      [['/'], t('Search')],
    ],
  ],
  [
    t('In a task'),
    [
      [['J'], t('Next task of the list')],
      [['K'], t('Task before')],
    ],
  ],
]

export function KeysHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={t('Keys')} open onClose={onClose}>
      {keys.map(([where, list]) => (
        <section key={where} className="mb-4 last:mb-0">
          <h3 className="edgeprint mb-1.5">{where}</h3>
          <ul className="space-y-1.5">
            {list.map(([combination, what]) => (
              <li key={what} className="flex items-center justify-between gap-4">
                <span>{what}</span>
                <span className="flex gap-1">
                  {combination.map(key => (
                    <Key key={key}>{key}</Key>
                  ))}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p className="text-[13.5px] text-soft">{t('On a Mac it is the command key instead of Ctrl.')}</p>
    </Dialog>
  )
}

export const Key = ({ children }: { children: ReactNode }) => (
  <kbd className="grid min-w-7 place-items-center rounded-md border border-edge bg-well px-1.5 py-0.5 font-mono text-[12px]">
    {children}
  </kbd>
)

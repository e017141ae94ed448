// Prints a picture of a task: on a printer of the event where a configuration has one, or by the browser.

import { useMutation } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useState } from 'react'
import { createPortal } from 'react-dom'
import { Link } from 'react-router'
import { useConfigurations } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import { createTask } from '../api/tasks.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote, Notice } from '../parts/notes.tsx'
import { taskPage } from '../places.ts'
import { t } from '../words/t.ts'
import { fetchFile } from './run-again.tsx'
import type { TaskSight } from './sights.ts'

const PRINTER = 'print_ipp'

export function PrintButton({ sight, experienceId }: { sight: TaskSight; experienceId: string }) {
  const [isOpen, setOpen] = useState(false)
  const [sheet, setSheet] = useState(false)
  const configurations = useConfigurations()
  const may = useMay('tasks')
  const printers = (configurations.data ?? []).filter(
    each => each.adapter_name === PRINTER && (each.experience_id === null || each.experience_id === experienceId),
  )
  const names = may ? printers.map(each => each.configuration_name) : []
  return (
    <>
      <Button icon={Printer} onClick={() => (names.length > 0 ? setOpen(true) : setSheet(true))}>
        {t('Print')}
      </Button>
      {isOpen && (
        <Printers
          names={names}
          sight={sight}
          onClose={() => setOpen(false)}
          onBrowser={() => {
            setOpen(false)
            setSheet(true)
          }}
        />
      )}
      {sheet && <Sheet sight={sight} onDone={() => setSheet(false)} />}
    </>
  )
}

function Printers({
  names,
  sight,
  onClose,
  onBrowser,
}: {
  names: string[]
  sight: TaskSight
  onClose(): void
  onBrowser(): void
}) {
  const print = useMutation({
    mutationFn: async (configuration_name: string) => createTask({ configuration_name, data: await fetchFile(sight) }),
  })
  return (
    <Dialog title={t('Print it')} about={sight.label} open onClose={onClose}>
      <div className="space-y-3">
        {print.data ? (
          <p>
            {t('It is on its way to “{name}”. {link}', {
              name: <bdi>{print.variables}</bdi>,
              link: (
                <Link to={taskPage(print.data.task_id)} className="underline underline-offset-3">
                  {t('Follow the print')}
                </Link>
              ),
            })}
          </p>
        ) : (
          <>
            <ul className="space-y-2">
              {names.map(name => (
                <li key={name}>
                  <Button
                    icon={Printer}
                    className="w-full justify-start!"
                    busy={print.isPending && print.variables === name}
                    disabled={print.isPending}
                    onClick={() => print.mutate(name)}
                  >
                    <bdi className="truncate">{name}</bdi>
                  </Button>
                </li>
              ))}
            </ul>
            {print.isError && <ErrorNote error={print.error} />}
            <Button look="quiet" onClick={onBrowser}>
              {t('Print by this browser')}
            </Button>
          </>
        )}
      </div>
    </Dialog>
  )
}

/** All that is on paper: the theme hides the rest of the page while the browser prints. */
function Sheet({ sight, onDone }: { sight: TaskSight; onDone(): void }) {
  const [src, setSrc] = useState(sight.mime.startsWith('image/') ? sight.src : sight.still)
  const [failed, setFailed] = useState(false)
  if (failed) return <Notice>{t('The picture could not be fetched, so it cannot be printed.')}</Notice>
  return createPortal(
    <div className="print-sheet" aria-hidden>
      <img
        src={src}
        alt=""
        onLoad={() => {
          window.print()
          onDone()
        }}
        onError={() => (src === sight.still ? setFailed(true) : setSrc(sight.still))}
      />
    </div>,
    document.body,
  )
}

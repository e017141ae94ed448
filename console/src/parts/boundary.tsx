// Catches what breaks while a page is loaded or drawn, so that the rest of the console stays.

import { CloudOff, RotateCw, TriangleAlert } from 'lucide-react'
import { Component, type ReactNode, useEffect } from 'react'
import { isReachable, reportLost, subscribeConnection } from '../api/connection.ts'
import { t } from '../words/t.ts'
import { Button, LinkButton } from './button.tsx'
import { Empty } from './notes.tsx'

/** The code of a page could not be fetched: the service is away, or was upgraded and has other files now. */
export class PageNotFetched extends Error {
  constructor(cause: unknown) {
    super(t('The code of the page could not be fetched.'), { cause })
  }
}

interface Props {
  /** Another place is tried anew. */
  place: string
  children: ReactNode
}

export class Boundary extends Component<Props, { error: unknown; place: string }> {
  override state = { error: null as unknown, place: this.props.place }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  static getDerivedStateFromProps({ place }: Props, state: { error: unknown; place: string }) {
    return place === state.place ? null : { error: null, place }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    if (error instanceof PageNotFetched) return <Fetching />
    return (
      <Empty
        isPage
        icon={TriangleAlert}
        title={t('This page broke')}
        actions={
          <>
            <Button icon={RotateCw} onClick={() => this.setState({ error: null })}>
              {t('Try again')}
            </Button>
            <LinkButton to="/">{t('To the overview')}</LinkButton>
          </>
        }
      >
        {t('The console met something that it did not expect. Nothing was changed. The other pages work.')}
      </Empty>
    )
  }
}

const MARK = 'fetched again'
/** A reload that did not help is not repeated at once. */
const AGAIN_MS = 15_000

/** Loads the page anew as soon as the service answers: a browser does not fetch the same module twice. */
function Fetching() {
  useEffect(() => {
    const last = Number(sessionStorage.getItem(MARK) ?? 0)
    const wait = Math.max(0, last + AGAIN_MS - Date.now())
    let timer: ReturnType<typeof setTimeout> | undefined
    const reload = (): void => {
      if (!isReachable()) return
      sessionStorage.setItem(MARK, String(Date.now()))
      location.reload()
    }
    const soon = (): void => {
      clearTimeout(timer)
      timer = setTimeout(reload, isReachable() ? wait : 0)
    }
    // The service is asked whether it is there; its first answer loads the page.
    reportLost()
    const stop = subscribeConnection(soon)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])
  return (
    <Empty isPage icon={CloudOff} title={t('This page could not be fetched yet')}>
      {t('The service does not answer, or it was upgraded. The page opens by itself as soon as that is possible.')}
    </Empty>
  )
}

// What surrounds every page: the way around, the event, who is signed in, search and keys, the connection, the theme.

import { Activity, CloudOff, Keyboard, Menu, Moon, Search, Sun } from 'lucide-react'
import {
  type ComponentType,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { NavLink, useLocation } from 'react-router'
import { AlarmWatch } from './alarm/watch.tsx'
import { useReachable } from './api/connection.ts'
import { useKeepEvent } from './api/event.ts'
import { Button, IconButton } from './parts/button.tsx'
import { classes } from './parts/classes.ts'
import { Dialog } from './parts/dialog.tsx'
import { announce } from './parts/toast.tsx'
import { EventSwitch } from './shell/event-switch.tsx'
import { Identity } from './shell/identity.tsx'
import { isHere, places } from './shell/pages.ts'
import { useShortcuts } from './shell/shortcuts.ts'
import { toggleTheme, useTheme } from './theme.ts'
import { LanguageChoice } from './words/language-choice.tsx'
import { t } from './words/t.ts'

type Overlay = ComponentType<{ onClose(): void }>

/** Fetched when they are first opened; a bad line then costs an announcement, not the page. */
const overlays = {
  palette: async (): Promise<Overlay> => (await import('./shell/palette.tsx')).Palette,
  keys: async (): Promise<Overlay> => (await import('./shell/keys-help.tsx')).KeysHelp,
}

/** As the bar at the side has it: one switch of events is enough. */
const wideScreen = window.matchMedia('(min-width: 64rem)')
const useWide = (): boolean =>
  useSyncExternalStore(
    listener => {
      wideScreen.addEventListener('change', listener)
      return () => wideScreen.removeEventListener('change', listener)
    },
    () => wideScreen.matches,
  )

export function Shell({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  const [open, setOpen] = useState<{ Overlay: Overlay } | null>(null)
  const show = useCallback((which: keyof typeof overlays) => {
    overlays[which]().then(
      Overlay => setOpen({ Overlay }),
      () => announce(t('This could not be fetched. Try again when the connection is back.')),
    )
  }, [])
  const palette = useCallback(() => show('palette'), [show])
  const help = useCallback(() => show('keys'), [show])
  const close = useCallback(() => setOpen(null), [])
  const wide = useWide()
  useKeepEvent()
  useShortcuts({ palette, help })
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page starts at its top, and screen readers start there too.
  useEffect(() => {
    if (first.current) first.current = false
    else {
      window.scrollTo(0, 0)
      main.current?.focus({ preventScroll: true })
    }
  }, [pathname])
  return (
    <div className="lg:grid lg:grid-cols-[212px_minmax(0,1fr)]">
      <a
        href="#content"
        className="marked sr-only z-70 px-4 py-2 font-semibold focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {t('Skip to the content')}
      </a>
      <AlarmWatch />
      <SideBar path={pathname} wide={wide} onFind={palette} onKeys={help} />
      <div className="min-w-0">
        <ConnectionBanner />
        <header className="flex items-center gap-2 border-b border-line bg-card px-3 py-2 lg:hidden">
          {!wide && <EventSwitch className="min-h-11! flex-1" />}
          <IconButton icon={Search} label={t('Find anything')} onClick={palette} className="size-11!" />
        </header>
        <main
          id="content"
          ref={main}
          tabIndex={-1}
          className="outline-none focus-visible:shadow-none focus-visible:outline-none"
        >
          {children}
        </main>
      </div>
      <BottomBar path={pathname} onKeys={help} />
      {open && <open.Overlay onClose={close} />}
    </div>
  )
}

function SideBar({ path, wide, onFind, onKeys }: { path: string; wide: boolean; onFind(): void; onKeys(): void }) {
  return (
    <header className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-card px-3 py-5 lg:flex">
      <Brand />
      <div className="mt-4 space-y-2 px-0.5">
        {wide && <EventSwitch />}
        <button
          type="button"
          onClick={onFind}
          aria-keyshortcuts="Control+K Meta+K"
          className="flex min-h-10 w-full items-center gap-2 rounded-lg border border-line px-3 text-[14px] text-soft hover:border-edge hover:text-ink"
        >
          <Search aria-hidden className="size-4" />
          {t('Find')}
          <kbd className="ml-auto font-mono text-[11.5px]">{t('Ctrl K')}</kbd>
        </button>
      </div>
      <nav aria-label={t('Main')} className="mt-4 flex flex-col gap-0.5 overflow-y-auto px-0.5 py-0.5">
        {places.map(({ to, name, icon: Icon }) => (
          <NavLink
            key={to}
            to={to}
            aria-current={isHere(to, path) ? 'page' : undefined}
            className={classes(
              'flex min-h-10 items-center gap-3 px-3 font-semibold',
              isHere(to, path) ? 'marked' : 'rounded-lg text-soft hover:bg-ink/6 hover:text-ink',
            )}
          >
            <Icon aria-hidden className="size-[18px]" strokeWidth={1.9} />
            {name}
          </NavLink>
        ))}
      </nav>
      <div className="mt-auto flex flex-col gap-0.5 pt-4">
        <Footer onKeys={onKeys} />
      </div>
    </header>
  )
}

function Brand() {
  return (
    <NavLink to="/" className="flex items-center gap-2.5 rounded-lg px-2" aria-label={t('Keepsake, to the overview')}>
      <img src="/keepsake.svg" alt="" className="size-8" />
      <span className="font-display text-[21px] font-bold tracking-tight">Keepsake</span>
    </NavLink>
  )
}

function Footer({ onKeys }: { onKeys(): void }) {
  const theme = useTheme()
  const quiet = 'justify-start! text-soft hover:text-ink'
  return (
    <>
      <a
        href="/docs"
        className="flex min-h-10 items-center gap-2 rounded-lg px-3.5 text-[14px] font-semibold text-soft hover:bg-ink/6 hover:text-ink"
      >
        <Activity aria-hidden className="size-4" />
        {t('API reference')}
      </a>
      <div className="flex items-center">
        <LanguageChoice className="flex-1" />
        <IconButton
          icon={theme === 'dark' ? Sun : Moon}
          label={theme === 'dark' ? t('Light theme') : t('Dark theme')}
          onClick={toggleTheme}
          className="max-lg:size-11"
        />
      </div>
      <Button look="quiet" icon={Keyboard} onClick={onKeys} className={quiet}>
        {t('Keys')}
      </Button>
      <Identity className={classes(quiet, 'min-w-0 max-w-full')} />
    </>
  )
}

/** On phones and tablets: four places within reach of the thumb, the rest behind "More". */
function BottomBar({ path, onKeys }: { path: string; onKeys(): void }) {
  const [open, setOpen] = useState(false)
  const rest = places.slice(4)
  const item = 'flex min-w-0 flex-1 flex-col items-center gap-0.5 py-1.5 text-[11.5px] font-semibold'
  const look = (here: boolean) => (here ? 'marked' : 'text-soft')
  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes the menu.
  useEffect(() => setOpen(false), [path])
  return (
    <nav
      aria-label={t('Main, small screens')}
      className="fixed inset-x-0 bottom-0 z-30 flex gap-1 border-t border-line bg-card px-2 pt-1.5 pb-[max(0.375rem,env(safe-area-inset-bottom))] lg:hidden"
    >
      {places.slice(0, 4).map(({ to, name, short, icon: Icon }) => (
        <NavLink
          key={to}
          to={to}
          aria-current={isHere(to, path) ? 'page' : undefined}
          className={classes(item, look(isHere(to, path)))}
        >
          <Icon aria-hidden className="size-5" />
          <span className="max-w-full truncate px-0.5">{short ?? name}</span>
        </NavLink>
      ))}
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
        className={classes(item, look(rest.some(({ to }) => isHere(to, path))))}
      >
        <Menu aria-hidden className="size-5" />
        {t('More')}
      </button>
      <Dialog title={t('More')} open={open} onClose={() => setOpen(false)}>
        <div className="grid grid-cols-2 gap-2">
          {rest.map(({ to, name, icon: Icon }) => (
            <NavLink
              key={to}
              to={to}
              className={classes(
                'flex min-h-12 items-center gap-3 border border-line px-3 font-semibold',
                isHere(to, path) ? 'marked' : 'rounded-lg',
              )}
            >
              <Icon aria-hidden className="size-[18px]" />
              {name}
            </NavLink>
          ))}
        </div>
        <div className="mt-3 flex flex-col">
          <Footer
            onKeys={() => {
              setOpen(false)
              onKeys()
            }}
          />
        </div>
      </Dialog>
    </nav>
  )
}

function ConnectionBanner() {
  const reachable = useReachable()
  const wasLost = useRef(false)
  useEffect(() => {
    if (reachable && wasLost.current) announce(t('Connected again. What you see is up to date.'))
    wasLost.current = !reachable
  }, [reachable])
  return (
    <div role="status" aria-live="assertive" className="sticky top-0 z-30">
      {!reachable && (
        <p className="flex items-center gap-2.5 bg-warn-bg px-4 py-2.5 font-semibold text-warn sm:px-6 lg:px-9">
          <CloudOff aria-hidden className="size-5 shrink-0" />
          {t('Connection lost. Trying again by itself; what you see may be out of date.')}
        </p>
      )}
    </div>
  )
}

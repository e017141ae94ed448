// Which page stands at which address; the heavy ones are fetched when they are first opened.

import { Compass } from 'lucide-react'
import { type ComponentType, lazy, Suspense } from 'react'
import { Route, Routes, useLocation } from 'react-router'
import { SessionGate } from './gate.tsx'
import { Home } from './pages/home.tsx'
import { Start } from './pages/start.tsx'
import { TaskDetail } from './pages/task-detail.tsx'
import { Tasks } from './pages/tasks.tsx'
import { Boundary, PageNotFetched } from './parts/boundary.tsx'
import { LinkButton } from './parts/button.tsx'
import { Empty, Loading } from './parts/notes.tsx'
import { Announcements } from './parts/toast.tsx'
import { Shell } from './shell.tsx'
import { t } from './words/t.ts'

const later = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazy(async () => {
    const module = await load().catch(error => {
      throw new PageNotFetched(error)
    })
    return { default: module[name] }
  })

const Configurations = later(() => import('./pages/configurations.tsx'), 'Configurations')
const ConfigurationEditor = later(() => import('./pages/configuration-editor.tsx'), 'ConfigurationEditor')
const Assets = later(() => import('./pages/assets.tsx'), 'Assets')
const Profiles = later(() => import('./pages/profiles.tsx'), 'Profiles')
const ProfileDetail = later(() => import('./pages/profile-detail.tsx'), 'ProfileDetail')
const Callbacks = later(() => import('./pages/callbacks.tsx'), 'Callbacks')
const Experiences = later(() => import('./pages/experiences.tsx'), 'Experiences')
const ExperienceDetail = later(() => import('./pages/experience-detail.tsx'), 'ExperienceDetail')
const Desk = later(() => import('./pages/desk.tsx'), 'Desk')
const Wall = later(() => import('./pages/wall.tsx'), 'Wall')
const Tokens = later(() => import('./pages/tokens.tsx'), 'Tokens')

export function App() {
  const { pathname: place } = useLocation()
  return (
    <>
      <SessionGate>
        <Shell>
          <Boundary place={place}>
            <Suspense fallback={<Loading />}>
              <Routes>
                <Route path="/" element={<Home />} />
                <Route path="/start" element={<Start />} />
                <Route path="/tasks" element={<Tasks kind="task" />} />
                <Route path="/tasks/:id" element={<TaskDetail kind="task" />} />
                <Route path="/groups" element={<Tasks kind="taskgroup" />} />
                <Route path="/groups/:id" element={<TaskDetail kind="taskgroup" />} />
                <Route path="/configurations" element={<Configurations />} />
                <Route path="/configurations/new" element={<ConfigurationEditor />} />
                <Route path="/configurations/open" element={<ConfigurationEditor />} />
                <Route path="/assets" element={<Assets />} />
                <Route path="/profiles" element={<Profiles />} />
                <Route path="/profiles/:id" element={<ProfileDetail />} />
                <Route path="/callbacks" element={<Callbacks />} />
                <Route path="/experiences" element={<Experiences />} />
                <Route path="/experiences/open" element={<ExperienceDetail />} />
                <Route path="/desk" element={<Desk />} />
                <Route path="/walls" element={<Wall />} />
                <Route path="/tokens" element={<Tokens />} />
                <Route path="*" element={<NoPage />} />
              </Routes>
            </Suspense>
          </Boundary>
        </Shell>
      </SessionGate>
      <Announcements />
    </>
  )
}

function NoPage() {
  return (
    <Empty
      isPage
      icon={Compass}
      title={t('There is no page here')}
      actions={<LinkButton to="/">{t('To the overview')}</LinkButton>}
    >
      {t('The address may have been cut, or the thing it named is gone.')}
    </Empty>
  )
}

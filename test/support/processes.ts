// The processes of this machine as the tests see them: whose child each is, and which of them work in a folder.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

interface Process {
  pid: number
  parent: number
  name: string
}

/** Those that live; without /proc none can be seen. */
export function processes(): Process[] {
  return pids().flatMap(pid => {
    try {
      const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      const [state, parent] = rest.split(' ')
      return state === 'Z' ? [] : [{ pid, parent: Number(parent), name }]
    } catch {
      return []
    }
  })
}

/** Children, grandchildren and so on. PostgreSQL's own children are its own affair; `postmasters`: whether it is listed itself. */
export function descendants(pid: number, postmasters = false, all = processes()): number[] {
  return all
    .filter(({ parent }) => parent === pid)
    .flatMap(child => {
      if (child.name === 'postgres') return postmasters ? [child.pid] : []
      return [child.pid, ...descendants(child.pid, postmasters, all)]
    })
}

/** Programs of that name that this process, or one below it, has started. */
export function below(program: string): number[] {
  const all = processes()
  const own = new Set(descendants(process.pid, false, all))
  return all.filter(({ pid, name }) => name === program && own.has(pid)).map(({ pid }) => pid)
}

/** Those that work inside a folder or were told of it when they were started. */
export const workingIn = (folder: string): number[] =>
  pids().filter(pid => {
    const here = `${readOr(() => readlinkSync(`/proc/${pid}/cwd`))}/`
    return here.startsWith(`${folder}/`) || commandOf(pid).includes(`${folder}/`)
  })

/** What it was started with; empty where it has ended. */
export const environmentOf = (pid: number): string => readOr(() => readFileSync(`/proc/${pid}/environ`, 'utf8'))

export const commandOf = (pid: number): string =>
  readOr(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    .replaceAll('\0', ' ')
    .trim()

const pids = (): number[] =>
  readOr(() => readdirSync('/proc').join(' '))
    .split(' ')
    .filter(name => /^\d+$/.test(name))
    .map(Number)

function readOr(read: () => string): string {
  try {
    return read()
  } catch {
    return '' // It has just ended, or there is no /proc.
  }
}

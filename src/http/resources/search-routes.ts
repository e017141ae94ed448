// /api/search/: guests, tasks, configurations and assets by a part of what people call them.
import { type Found, readSearch } from '#db/tasks/search-rows.ts'
import { badField } from '#kit/errors.ts'
import { groupView, taskView } from '#tasks/show/view.ts'
import { SearchQuery, SearchResult } from '../contract/search-shapes.ts'
import type { Resource } from '../route/route.ts'
import { shownAsset } from './asset-routes.ts'
import { shownConfiguration } from './configuration-routes.ts'
import { shownProfile } from './profile-routes.ts'

const SHORTEST = 2

export const search: Resource = (app, { db, secretBox }) => {
  app.get(
    '/api/search/',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['Search'],
        summary: 'Find guests, tasks, configurations and assets',
        operationId: 'searchEverything',
        description:
          'At most 20 of each, of the experiences that the token sees. Case does not matter. Of the texts in `attributes` the first 4,000 characters are searched.',
        querystring: SearchQuery,
        response: { 200: SearchResult },
      },
    },
    async request => {
      const text = request.query.q.trim().normalize('NFC')
      if ([...text].length < SHORTEST)
        throw badField('q', 'must have two characters or more, not counting spaces at its ends')
      const { experiences } = request.access
      const { profiles, tasks, taskgroups, configurations, assets } = await readSearch(db, experiences, text)
      return {
        profiles: shown(profiles, shownProfile),
        tasks: shown(tasks, taskView),
        taskgroups: shown(taskgroups, groupView),
        configurations: shown(configurations, row => shownConfiguration(secretBox, row, experiences)),
        assets: shown(assets, asset => shownAsset(asset, experiences)),
      }
    },
  )
}

const shown = <Row, View>({ items, more }: Found<Row>, view: (row: Row) => View): Found<View> => ({
  items: items.map(view),
  more,
})

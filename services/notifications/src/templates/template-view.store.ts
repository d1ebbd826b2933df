import type { Database } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { Category, Values, Variable } from "../template.ts";
import { allContents, allTemplates, allVersions } from "./template.store.ts";

/** The owner of the templates: a tenant, or the platform under the platform's own address. */
export type Scope = { tenantId: string; isPlatform: boolean };

/**
 * Where the text in force comes from; `none`: a tenant's template that was never published, or was withdrawn.
 */
type Origin = "platform" | "override" | "own" | "none";

/** A template in a list. */
export type TemplateSummary = {
	path: string;
	category: Category;
	origin: Origin;
	version: number | null;
	channels: readonly Channel[];
	locales: readonly string[];
	hasDraft: boolean;
	updatedAt: Date;
};

/** What an author wrote in a version. */
export type AuthoredContent = {
	channel: Channel;
	locale: string;
	subject: string | null;
	source: string;
	whatsapp_name: string | null;
};

/** A version as its authors see it. */
export type VersionView = {
	version: number;
	variables: readonly Variable[];
	samples: Values;
	contents: readonly AuthoredContent[];
	/** Changes with every change of a draft. */
	tag: string;
	updatedAt: Date;
	publishedAt: Date | null;
};

/** A template with what is in force, the draft, and the platform's version where a tenant overrides it. */
export type TemplateView = {
	path: string;
	category: Category;
	origin: Origin;
	live: VersionView | undefined;
	draft: VersionView | undefined;
	platform: VersionView | undefined;
};

const liveOf = (own: string, platform: string): string =>
	`coalesce(case when ${own}.live_version is not null then ${own}.id end, ${platform}.id)`;
/** A platform's template that has only a draft is not visible to tenants. */
const isVisible = "case when $1 then t.is_platform else not t.is_platform or t.live_version is not null end";
const origin = `case when o.live_version is not null and p.live_version is not null then 'override'
	when o.live_version is not null then 'own' when p.live_version is not null then 'platform' else 'none' end`;

/** Lists templates in the order of their paths. Call it inside the tenant. */
export async function listTemplates(
	tx: Database,
	query: Scope & { group: string | undefined; after: string | undefined; limit: number },
): Promise<TemplateSummary[]> {
	const rows = await tx.query<{
		path: string;
		category: Category;
		origin: Origin;
		version: number | null;
		channels: Channel[];
		locales: string[];
		has_draft: boolean;
		updated_at: Date;
	}>(
		`select s.path, coalesce(p.category, o.category) as category, ${origin} as origin, l.version,
		        array(select distinct c.channel from ${allContents} c where c.version_id = l.id order by 1) as channels,
		        array(select distinct c.locale from ${allContents} c where c.version_id = l.id order by 1) as locales,
		        exists (select from ${allVersions} d where d.published_at is null
		                   and d.template_id = case when $1 then p.id else o.id end) as has_draft,
		        coalesce(l.published_at, o.updated_at, p.updated_at) as updated_at
		   from (select distinct t.path from ${allTemplates} t
		          where ${isVisible} and ($2::text is null or split_part(t.path, '/', 1) = $2)
		            and ($3::text is null or t.path > $3) order by t.path limit $4) s
		   left join templates o on o.path = s.path and not $1
		   left join platform_templates p on p.path = s.path and (p.live_version is not null or $1)
		   left join ${allVersions} l on l.template_id = ${liveOf("o", "p")}
		        and l.version = coalesce(o.live_version, p.live_version)
		  order by s.path`,
		[query.isPlatform, query.group ?? null, query.after ?? null, query.limit],
	);
	return rows.map(({ has_draft: hasDraft, updated_at: updatedAt, ...row }) => ({
		...row,
		hasDraft,
		updatedAt,
	}));
}

/** Returns a template; undefined if not found. Call it inside the tenant. */
export async function findTemplate(
	tx: Database,
	{ path, isPlatform }: Scope & { path: string },
): Promise<TemplateView | undefined> {
	const [row] = await tx.query<{
		category: Category;
		origin: Origin;
		own_live: string | null;
		platform_live: string | null;
		draft: string | null;
	}>(
		`select coalesce(p.category, o.category) as category, ${origin} as origin,
		        (select v.id from ${allVersions} v where v.template_id = o.id and v.version = o.live_version) as own_live,
		        (select v.id from ${allVersions} v where v.template_id = p.id and v.version = p.live_version) as platform_live,
		        (select v.id from ${allVersions} v where v.published_at is null
		            and v.template_id = case when $1 then p.id else o.id end) as draft
		   from (select distinct t.path from ${allTemplates} t where ${isVisible} and t.path = $2) s
		   left join templates o on o.path = s.path and not $1
		   left join platform_templates p on p.path = s.path and (p.live_version is not null or $1)`,
		[isPlatform, path],
	);
	if (row === undefined) return undefined;
	const ids = [
		row.own_live ?? row.platform_live,
		row.draft,
		row.own_live === null ? null : row.platform_live,
	];
	const versions = await findVersions(
		tx,
		ids.filter((id) => id !== null),
	);
	const [live, draft, platform] = ids.map((id) => (id === null ? undefined : versions.get(id)));
	return { path, category: row.category, origin: row.origin, live, draft, platform };
}

type VersionRow = {
	id: string;
	version: number;
	variables: Variable[];
	samples: Values;
	revision: number;
	updated_at: Date;
	published_at: Date | null;
	contents: AuthoredContent[] | null;
};

const authored = `select v.id, v.version, v.variables, v.samples, v.revision, v.updated_at, v.published_at,
	(select jsonb_agg(jsonb_build_object('channel', c.channel, 'locale', c.locale, 'subject', c.subject, 'source', c.source,
	                                     'whatsapp_name', c.whatsapp_name) order by c.channel, c.locale)
	   from ${allContents} c where c.version_id = v.id) as contents
	from ${allVersions} v`;

async function findVersions(tx: Database, ids: readonly string[]): Promise<ReadonlyMap<string, VersionView>> {
	const rows = await tx.query<VersionRow>(`${authored} where v.id = any ($1)`, [[...ids]]);
	return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

const fromRow = (row: VersionRow): VersionView => ({
	version: row.version,
	variables: row.variables,
	samples: row.samples,
	contents: row.contents ?? [],
	tag: `"${row.id}.${row.revision}"`,
	updatedAt: row.updated_at,
	publishedAt: row.published_at,
});

/** The template whose versions are shown: the tenant's if it has published one, else the platform's. */
const shownTemplate = `select t.id, t.is_platform, t.live_version from ${allTemplates} t
	where ${isVisible} and t.path = $2
	  and exists (select from ${allVersions} v where v.template_id = t.id and v.published_at is not null)
	order by t.is_platform limit 1`;

/** A published version in a list. */
export type VersionSummary = { version: number; isPlatform: boolean; isLive: boolean; publishedAt: Date };

/** Lists the published versions of a template, the newest first. Call it inside the tenant. */
export async function listVersions(
	tx: Database,
	query: Scope & { path: string; after: number | undefined; limit: number },
): Promise<VersionSummary[]> {
	const rows = await tx.query<{
		version: number;
		is_platform: boolean;
		is_live: boolean;
		published_at: Date;
	}>(
		`select v.version, t.is_platform, v.version is not distinct from t.live_version as is_live,
		        v.published_at
		   from (${shownTemplate}) t join ${allVersions} v on v.template_id = t.id
		  where v.published_at is not null and ($3::integer is null or v.version < $3)
		  order by v.version desc limit $4`,
		[query.isPlatform, query.path, query.after ?? null, query.limit],
	);
	return rows.map((row) => ({
		version: row.version,
		isPlatform: row.is_platform,
		isLive: row.is_live,
		publishedAt: row.published_at,
	}));
}

/** Returns a published version of a template; undefined if not found. Call it inside the tenant. */
export async function findPublished(
	tx: Database,
	query: Scope & { path: string; version: number },
): Promise<VersionView | undefined> {
	const [row] = await tx.query<VersionRow>(
		`${authored} where v.published_at is not null and v.version = $3
		    and v.template_id = (select id from (${shownTemplate}) t)`,
		[query.isPlatform, query.path, query.version],
	);
	return row && fromRow(row);
}

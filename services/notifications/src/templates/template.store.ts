import type { Database } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { Category, TemplateContent, TemplateVersion, Variable } from "../template.ts";

/** A published version, and whether the tenant made it. */
export type PublishedTemplate = { versionId: string; isOwn: boolean; template: TemplateVersion };

type Row = {
	id: string;
	is_own: boolean;
	path: string;
	category: Category;
	variables: Variable[];
	contents: Array<{
		channel: Channel;
		locale: string;
		subject: string | null;
		source: string;
		html: string | null;
		text: string;
		whatsapp_name: string | null;
	}>;
};

const ofBoth = (table: "templates" | "template_versions" | "template_contents", columns: string): string => `(
	select ${columns}, false as is_platform from ${table}
	union all
	select ${columns}, true from platform_${table})`;

/** The tenant's templates and those of the platform. */
export const allTemplates = ofBoth("templates", "id, path, category, live_version, updated_at");
/** The versions of `allTemplates`. */
export const allVersions = ofBoth(
	"template_versions",
	"id, template_id, version, variables, samples, revision, updated_at, published_at",
);
/** The contents of `allVersions`. */
export const allContents = ofBoth(
	"template_contents",
	"version_id, channel, locale, subject, source, html, text, whatsapp_name",
);

const columns = `
	select v.id, not t.is_platform as is_own, t.path, t.category, v.variables,
	       (select jsonb_agg(jsonb_build_object('channel', c.channel, 'locale', c.locale, 'subject', c.subject, 'source', c.source,
	                                            'html', c.html, 'text', c.text, 'whatsapp_name', c.whatsapp_name))
	          from ${allContents} c where c.version_id = v.id) as contents
	  from ${allTemplates} t join ${allVersions} v on v.template_id = t.id`;

/** Finds the id of the version that a tenant's messages use: its own, else the platform's. */
export async function findLiveVersion(tx: Database, path: string): Promise<string | undefined> {
	const [row] = await tx.query<{ id: string }>(
		`select v.id from ${allTemplates} t join ${allVersions} v on v.template_id = t.id and v.version = t.live_version
		  where t.path = $1 order by t.is_platform limit 1`,
		[path],
	);
	return row?.id;
}

/** Returns a published version by its id; undefined if not found. Call it inside the tenant. */
export async function findVersion(tx: Database, id: string): Promise<PublishedTemplate | undefined> {
	const [row] = await tx.query<Row>(`${columns} where v.id = $1 and v.published_at is not null`, [id]);
	return row && fromRow(row);
}

function fromRow({ id, is_own, path, category, variables, contents }: Row): PublishedTemplate {
	return {
		versionId: id,
		isOwn: is_own,
		template: { path, category, variables, contents: contents.map(toContent) },
	};
}

function toContent({ channel, locale, subject, source, html, text, whatsapp_name }: Row["contents"][number]) {
	const content: TemplateContent = {
		channel,
		locale,
		source,
		text,
		...(subject !== null && { subject }),
		...(html !== null && { html }),
		...(whatsapp_name !== null && { whatsappName: whatsapp_name }),
	};
	return content;
}

import type { Database } from "@lango/postgres";
import type { ContentSource } from "../rendering/compile-template.ts";
import type { Category, TemplateContent, Values, Variable } from "../template.ts";

/**
 * What is stored of a draft besides its contents. `tag`: the state that the author saw; undefined: no draft.
 */
export type DraftTerms = {
	path: string;
	category: Category;
	variables: readonly Variable[];
	samples: Values;
	tag: string | undefined;
	by: string;
};

type Place = { isPlatform: boolean; now: Date };

/**
 * Saves the draft of a template. Returns its new tag; undefined if its state is no longer the one that the
 * author saw. Call it inside the tenant.
 */
export async function saveDraft(
	tx: Database,
	{ contents, ...terms }: DraftTerms & { contents: readonly ContentSource[] },
	{ isPlatform, now }: Place,
): Promise<string | undefined> {
	const [row] = await tx.query<{ tag: string | null }>("select save_template_draft($1, $2, $3, $4) as tag", [
		...[isPlatform, JSON.stringify(terms), JSON.stringify(contents.map(toRow)), now],
	]);
	return row?.tag ?? undefined;
}

/**
 * Publishes the draft of a template with its compiled contents. Returns the number of the version; undefined
 * if the state of the draft is no longer the one that the author saw. Call it inside the tenant.
 */
export async function publishDraft(
	tx: Database,
	{ contents, ...terms }: DraftTerms & { contents: readonly TemplateContent[] },
	{ isPlatform, now }: Place,
): Promise<number | undefined> {
	const [row] = await tx.query<{ version: number | null }>(
		"select publish_template_draft($1, $2, $3, $4) as version",
		[isPlatform, JSON.stringify(terms), JSON.stringify(contents.map(toRow)), now],
	);
	return row?.version ?? undefined;
}

const toRow = ({ whatsappName: whatsapp_name, ...content }: ContentSource | TemplateContent) => ({
	...content,
	whatsapp_name,
});

/**
 * Counts the tenant's own templates. Until the end of the transaction no other one counts them. Call it
 * inside the tenant.
 */
export async function countOwnTemplates(tx: Database, tenantId: string): Promise<number> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended('templates ' || $1, 0))", [tenantId]);
	const [row] = await tx.query<{ n: number }>("select count(*)::integer as n from templates");
	return row?.n ?? 0;
}

/** Whether the platform has a template in a group. Call it inside the tenant. */
export async function isGroupOfPlatform(tx: Database, group: string): Promise<boolean> {
	const [row] = await tx.query<{ found: boolean }>(
		"select exists (select from platform_templates where split_part(path, '/', 1) = $1) as found",
		[group],
	);
	return row?.found ?? false;
}

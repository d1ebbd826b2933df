import type { Database } from "@lango/postgres";
import type { TemplateVersion } from "../template.ts";

/** A compiled template of the platform, and the SHA-256 of its sources. */
export type CompiledTemplate = {
	template: TemplateVersion;
	samples: Readonly<Record<string, unknown>>;
	digest: Buffer;
};

/** Returns the digests of the platform's templates in force, in hex, by path. */
export async function listPublishedDigests(db: Database): Promise<ReadonlyMap<string, string>> {
	const rows = await db.query<{ path: string; digest: Buffer }>(
		"select path, digest from list_platform_digests()",
	);
	return new Map(rows.map(({ path, digest }) => [path, digest.toString("hex")]));
}

/** Publishes a template of the platform, unless another process has published the same one. */
export async function publishPlatformTemplate(
	db: Database,
	{ template, samples, digest }: CompiledTemplate,
	now: Date,
): Promise<void> {
	const { path, category, variables, contents } = template;
	await db.query("select publish_platform_template($1, $2, $3)", [
		JSON.stringify({ path, category, variables, samples, digest: digest.toString("hex") }),
		JSON.stringify(
			contents.map(({ whatsappName: whatsapp_name, ...content }) => ({ ...content, whatsapp_name })),
		),
		now,
	]);
}

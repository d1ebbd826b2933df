import type { Database } from "@lango/postgres";
import { allContents, allTemplates, allVersions } from "../templates/template.store.ts";

/**
 * Lists the templates in force with WhatsApp content that does not name a template of the vendor, in the
 * order of their paths. A tenant's own template hides the platform's. Call it inside the tenant.
 */
export async function listUnapproved(tx: Database, limit: number): Promise<string[]> {
	const rows = await tx.query<{ path: string }>(
		`select distinct f.path
		   from (select distinct on (t.path) t.id, t.path, t.live_version from ${allTemplates} t
		          where t.live_version is not null order by t.path, t.is_platform) f
		   join ${allVersions} v on v.template_id = f.id and v.version = f.live_version
		   join ${allContents} c on c.version_id = v.id
		  where c.channel = 'whatsapp' and c.whatsapp_name is null order by f.path limit $1`,
		[limit],
	);
	return rows.map(({ path }) => path);
}

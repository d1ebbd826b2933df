import type { Database } from "@lango/postgres";
import { failures } from "../failures.ts";
import { findTemplate, type Scope, type TemplateView } from "./template-view.store.ts";

/** Returns a template. Throws `template_not_found`. Call it inside the tenant. */
export async function requireTemplate(tx: Database, query: Scope & { path: string }): Promise<TemplateView> {
	const found = await findTemplate(tx, query);
	if (found === undefined) throw failures.template_not_found();
	return found;
}

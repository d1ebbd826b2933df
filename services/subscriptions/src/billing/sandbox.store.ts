import { type Database, inTenant } from "@lango/postgres";

/** How the sandbox answers payment requests while there is no treasury. */
export const sandboxAnswers = ["pays", "refuses", "silent"] as const;
export type SandboxAnswer = (typeof sandboxAnswers)[number];

/** The answer set for a tenant; undefined if the default applies. */
export async function findSandboxAnswer(db: Database, tenantId: string): Promise<SandboxAnswer | undefined> {
	const [row] = await inTenant(db, tenantId, (tx) =>
		tx.query<{ answer: SandboxAnswer }>("select answer from sandbox_answers where tenant_id = $1", [
			tenantId,
		]),
	);
	return row?.answer;
}

/** Sets the sandbox's answer to a tenant's payment requests. */
export async function setSandboxAnswer(
	db: Database,
	{ tenantId, answer }: { tenantId: string; answer: SandboxAnswer },
): Promise<void> {
	await inTenant(db, tenantId, (tx) =>
		tx.query(
			`insert into sandbox_answers (tenant_id, answer) values ($1, $2)
			 on conflict (tenant_id) do update set answer = excluded.answer`,
			[tenantId, answer],
		),
	);
}

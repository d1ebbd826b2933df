import { type Database, inTenant } from "@lango/postgres";

/** How what a tenant has to pay turns out, until the treasury stands. */
export const sandboxAnswers = ["pays", "refuses", "silent"] as const;
export type SandboxAnswer = (typeof sandboxAnswers)[number];

/** What was set for a tenant; undefined when it is as the setting says. */
export async function findSandboxAnswer(db: Database, tenantId: string): Promise<SandboxAnswer | undefined> {
	const [row] = await inTenant(db, tenantId, (tx) =>
		tx.query<{ answer: SandboxAnswer }>("select answer from sandbox_answers where tenant_id = $1", [
			tenantId,
		]),
	);
	return row?.answer;
}

/** Sets how a tenant's payments turn out from now on. */
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

import { getConstructionPlans } from "pg-boss";

/**
 * The statements with which pg-boss begins and ends its own transaction. `migrate` wraps each file in one
 * already.
 */
const ownTransaction = [
	/^\s*BEGIN;\s*$/m,
	/^\s*SET LOCAL lock_timeout = .*;\s*$/m,
	/^\s*SET LOCAL idle_in_transaction_session_timeout = .*;\s*$/m,
	/^\s*SELECT pg_advisory_xact_lock\(.*\);\s*$/m,
	/^\s*COMMIT;\s*$/m,
];

/**
 * Returns the migration that creates the tables of the installed pg-boss: its own statements without its own
 * transaction. Throws an Error if these statements have an unknown form.
 */
export function constructionSql(): string {
	let plan = getConstructionPlans("pgboss");
	for (const statement of ownTransaction) {
		if (!statement.test(plan)) throw new Error(`pg-boss's plan has no ${statement.source}`);
		plan = plan.replace(statement, "");
	}
	const lines = plan.split("\n").map((line) => line.trimEnd());
	const text = lines.join("\n").replace(/\n{3,}/g, "\n\n");
	return `-- breaking: no\n-- pg-boss's own text (constructionSql): printed by \`node tools/jobs.ts construction\`, never edited.\n${text.trim()}\n`;
}

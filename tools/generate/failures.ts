import {
	chassisFailures,
	type FailureTable,
	failureStatus,
	failureTableOf,
	type ServiceDefinition,
} from "@lango/chassis";
import { notice, toPage, toTable } from "./table.ts";

/** docs/generated/failures.md: every error code, by service and by code. */
export function describeFailures(services: readonly ServiceDefinition[]): string {
	const everywhere = failureTableOf(chassisFailures);
	const groups: Array<readonly [owner: string, FailureTable]> = [
		["every service", everywhere],
		...services.map(({ name, failures }) => {
			const all = failures.flatMap((table) => Object.entries(table));
			return [name, Object.fromEntries(all.filter(([code, row]) => everywhere[code] !== row))] as const;
		}),
	];
	const byService = groups.flatMap(([owner, table]) => {
		const rows = Object.entries(table).map(([code, [kind, message]]) => [
			code,
			String(failureStatus[kind]),
			message,
		]);
		return rows.length === 0 ? [] : [`## ${owner}`, toTable(["code", "status", "message"], rows)];
	});
	const byCode = groups.flatMap(([owner, table]) => Object.keys(table).map((code) => [code, owner]));
	return toPage([
		notice,
		"# Failures",
		'Every error is `{ "error", "code", …, "request_id" }`; the code is stable, the text is for people.',
		...byService,
		"## By code",
		toTable(
			["code", "from"],
			byCode.toSorted(([a = ""], [b = ""]) => a.localeCompare(b, "en")),
		),
	]);
}

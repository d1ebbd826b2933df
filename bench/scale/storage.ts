import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Section, table } from "../sign-on/report.ts";
import type { Installation } from "../sign-on/stage.ts";
import { listSizes, runSizes } from "./costs.store.ts";

const script = readFileSync(join(import.meta.dirname, "../../deploy/sizes/auth.sql"), "utf8");
const rowsMin = 1_000;

/** What rows take with their indexes: in the large installation as it stands, and added to it by deploy/sizes. */
export async function measureStorage({
	adminUrl,
	size,
	fill,
}: Installation): Promise<{ section: Section; bytesARow: Record<string, number> }> {
	const sizes = await listSizes(adminUrl, rowsMin);
	const added = await runSizes(adminUrl, script);
	const names = [...new Set([...sizes.map((one) => one.table), ...Object.keys(added)])].toSorted();
	const rows = names.map((name) => {
		const found = sizes.find((one) => one.table === name);
		const stands =
			found === undefined ? ["", ""] : [count(found.rows), (found.bytes / found.rows).toFixed(0)];
		return [`\`${name}\``, ...stands, added[name]?.toFixed(0) ?? ""];
	});
	const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
	const section = {
		title: "Storage",
		text: `${table(["table", "rows", "bytes a row", "bytes a row added"], rows)}

Indexes are counted in. The installation of ${count(size.people)} people in ${count(size.tenants)} tenants was filled by SQL in ${Math.round(fill.seconds)} s and takes ${count(Math.round(bytes / 1e6))} MB; where requests
were measured before, its sessions, codes and events are those and the signed-in people's. "Added" are 10,000 rows of each kind by deploy/sizes/auth.sql, of usual
lengths, beside what is there, and taken back. Measured on these sizes; a larger installation has the same rows more often.`,
		verdicts: [],
	};
	const stands = sizes.map(({ table, rows, bytes }) => [table, Math.round(bytes / rows)] as const);
	return { section, bytesARow: { ...Object.fromEntries(stands), ...added } };
}

const count = (figure: number) => figure.toLocaleString("en");

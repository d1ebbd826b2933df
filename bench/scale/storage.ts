import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Section, table } from "../report.ts";
import type { Installation } from "../sign-on/stage.ts";
import { listSizes, runSizes } from "./costs.store.ts";

const script = readFileSync(join(import.meta.dirname, "../../deploy/sizes/auth.sql"), "utf8");
const rowsMin = 1_000;

/** Measures the bytes per row with indexes: in the large installation, and added to it by deploy/sizes. */
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
		const inPlace =
			found === undefined ? ["", ""] : [count(found.rows), (found.bytes / found.rows).toFixed(0)];
		return [`\`${name}\``, ...inPlace, added[name]?.toFixed(0) ?? ""];
	});
	const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
	const section = {
		title: "Storage",
		text: `${table(["table", "rows", "bytes per row", "bytes per added row"], rows)}

Indexes are included. The installation of ${count(size.people)} people in ${count(size.tenants)} tenants was filled by SQL in ${Math.round(fill.seconds)} s and takes ${count(Math.round(bytes / 1e6))} MB; it
also contains the sessions, codes and events of requests measured before. Added rows: 10,000 of each kind by deploy/sizes/auth.sql, of usual lengths, rolled back
afterwards. A larger installation has more rows of the same size.`,
		verdicts: [],
	};
	const measured = sizes.map(({ table, rows, bytes }) => [table, Math.round(bytes / rows)] as const);
	return { section, bytesARow: { ...Object.fromEntries(measured), ...added } };
}

const count = (figure: number) => figure.toLocaleString("en");

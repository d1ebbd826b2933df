import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openRows } from "../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "lango-rows-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("rows and the number of calls are restored from the file, without a line that was cut off", () => {
	const path = join(folder, "new/folder/rows.jsonl");
	const first = openRows(path);
	first.table<{ amount: number }>("payments").put("a", { amount: 1 });
	first.table<{ amount: number }>("payments").put("a", { amount: 2 });
	first.nextOrdinal();
	first.close();
	appendFileSync(path, '{"table":"payments","key":"b"');
	const second = openRows(path);
	second.table<{ amount: number }>("payments").put("c", { amount: 3 });
	second.close();
	const third = openRows(path);
	expect(third.table("payments").list()).toEqual([{ amount: 2 }, { amount: 3 }]);
	expect(third.nextOrdinal()).toBe(2);
	third.clear(new Date());
	third.close();
	const fourth = openRows(path);
	expect([fourth.table("payments").list(), fourth.nextOrdinal()]).toEqual([[], 1]);
	fourth.close();
});

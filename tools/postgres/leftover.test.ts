import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { alone, claim, holdersIn } from "./claim.ts";
import { findPostmaster, readPostmaster, settleLeftover } from "./leftover.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "lango-leftover-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pidFile = () => join(folder, "postmaster.pid");
const writePidFile = (pid: number) =>
	writeFileSync(pidFile(), `${pid}\n${folder}\n1700000000\n5499\n\n127.0.0.1\n  1 1\nready   \n`);
const endedPid = 2 ** 22 - 1;
/** A process that runs and is neither a PostgreSQL nor ours. */
const stranger = process.ppid;

test("the pid file has process, port and state", () => {
	writePidFile(4711);
	expect(readPostmaster(folder)).toEqual({ pid: 4711, port: 5499, isReady: true });
	writeFileSync(pidFile(), "half a li");
	expect(readPostmaster(folder)).toBeUndefined();
});

test("a process id that belongs to another program now is not a PostgreSQL of this folder", () => {
	writePidFile(stranger);
	expect(findPostmaster(folder)).toBeUndefined();
});

const others = [
	{ whose: "a stranger", pid: stranger },
	{ whose: "an ended process", pid: endedPid },
];

test.each(others)(
	"a pid file with the id of $whose gets ours and keeps the lines about shared memory",
	async ({ pid }) => {
		writePidFile(pid);
		await settleLeftover(folder);
		const [first, ...rest] = readFileSync(pidFile(), "utf8").split("\n");
		expect(Number(first)).toBe(process.pid);
		expect(rest.join("\n")).toContain("  1 1\nready");
	},
);

test("a claim of a process that runs and is of the kind is respected, any other is taken over", () => {
	const path = join(folder, "up.pid");
	writeFileSync(path, `${stranger}\n`);
	expect(claim(path, () => true)).toBe(stranger);
	const release = claim(path, () => false);
	expect(readFileSync(path, "utf8")).toBe(`${process.pid}\n`);
	if (typeof release === "function") release();
	writeFileSync(path, `${endedPid}\n`);
	expect(claim(path, () => true)).toBeTypeOf("function");
});

test("work done alone takes its file away, also when it fails", async () => {
	const path = join(folder, "lock");
	await expect(alone(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
	expect(await alone(path, async () => 7)).toBe(7);
});

test("holders that have ended are forgotten", () => {
	writeFileSync(join(folder, String(endedPid)), "");
	writeFileSync(join(folder, String(process.pid)), "");
	expect(holdersIn(folder)).toEqual([process.pid]);
	expect(holdersIn(folder)).toEqual([process.pid]);
});

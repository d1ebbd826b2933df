import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");

function makeSecrets(...words: string[]) {
	const program = join(root, "tools/make-secrets.ts");
	const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { encoding: "utf8" });
	return { status, stdout, stderr };
}

test("the variables of compose are printed, one per line", () => {
	const { status, stdout, stderr } = makeSecrets("--domain", "lango.test");
	expect([status, stderr]).toEqual([0, ""]);
	const [domain, ...secrets] = stdout.trim().split("\n");
	expect(domain).toBe("LANGO_DOMAIN=lango.test");
	expect(secrets.length).toBeGreaterThan(20);
	for (const line of secrets) expect(line).toMatch(/^[A-Z_]+=\S{40,}$/);
}, 60_000);

test("for Kubernetes a Secret with addresses of the given database is printed", () => {
	const { status, stdout } = makeSecrets("--as", "kubernetes", "--database", "db.lango.test:5433");
	expect(status).toBe(0);
	const { kind, stringData } = JSON.parse(stdout);
	expect(kind).toBe("Secret");
	expect(stringData).toMatchObject({
		DATABASE_URL: expect.stringMatching(/^postgres:\/\/postgres:\w{48}@db\.lango\.test:5433\/postgres$/),
		AUTH_DATABASE_URL: expect.stringMatching(/^postgres:\/\/auth_app:\w{48}@db\.lango\.test:5433\/auth$/),
	});
}, 60_000);

test.each([
	[["--domain", "a b"], "--domain must be a domain, for example --domain lango.example.com"],
	[["--as", "paper"], "--as must be env or kubernetes."],
])(
	"%s is refused, and no secret is printed",
	(words, says) => {
		expect(makeSecrets(...words)).toEqual({ status: 1, stdout: "", stderr: expect.stringContaining(says) });
	},
	60_000,
);

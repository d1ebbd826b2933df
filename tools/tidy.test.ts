/**
 * The rules of this repository that no linter knows, checked on every file git tracks or would track. Each
 * rule is one test; each message says what to do instead.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { listMissing } from "./complete-lock.ts";

const root = resolve(import.meta.dirname, "..");
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" })
	.split("\n")
	.filter((path) => path !== "" && existsSync(join(root, path)));
const code = files.filter(
	(path) => /\.(ts|tsx|js)$/.test(path) && !/^tools\/tidy[a-z-]*\.test\.ts$/.test(path),
);
const sources = code.filter((path) => /^(apps|packages|services)\/[^/]+\/src\//.test(path));
const migrations = files.filter((path) => /\/migrations\/[^/]+\.sql$/.test(path));

const read = (path: string) => readFileSync(resolve(root, path), "utf8");
const home = (path: string) => path.split("/").slice(0, 2).join("/");
const importsOf = (path: string) =>
	[...read(path).matchAll(/(?:from|import\() ?"([^"]+)"|import "([^"]+)"/g)].map(
		([, from, bare]) => from ?? bare ?? "",
	);

/**
 * Where an import leads, from the root of the repository: a path when it is relative, a package's name
 * otherwise.
 */
const targetsOf = (path: string) =>
	importsOf(path).map((target) => (target.startsWith(".") ? join(dirname(path), target) : target));

test("a source file fits in 400 lines", () => {
	const long = sources.filter((path) => read(path).split("\n").length > 400);
	expect(long, "split it by concept, not by kind").toEqual([]);
});

test("no import climbs out of its package", () => {
	const climbing = sources.filter((path) =>
		importsOf(path).some(
			(target) => target.startsWith(".") && home(join(dirname(path), target)) !== home(path),
		),
	);
	expect(climbing, "import it by its package name").toEqual([]);
});

test("only tools/up.ts, the table of services for commands and a service's own files import a service", () => {
	const reaching = code.flatMap((path) =>
		targetsOf(path)
			.filter((target) => /^(services|@lango)\//.test(target))
			.filter((target) => serviceOf(target) !== undefined && serviceOf(target) !== serviceOf(path))
			.map((target) => `${path} imports ${target}`),
	);
	const allowed = (line: string) =>
		/^tools\/(up|up\/service-names|keys|first-owner|announce-all)\.ts imports services\/[^/]+\/src\/service\.ts$/.test(
			line,
		) ||
		// The set-up and the checks of the service's own tests, on other servers.
		/^tests\/citus\/[\w-]+\.test\.ts imports services\/\w+\/(src\/(service|ledger\/ledger\.store|dispatch\/(claim\.store|recover)|reports\/apply-reports)|test\/(sign-on|cafe|add-bill|ledger\/(book|invariants)|office|ground-truth|providers\/sandbox|policy|shop))\.ts$/.test(
			line,
		) ||
		// The page lists the built-in templates, which are not served over HTTP as a whole.
		line === "tools/generate/whatsapp.ts imports services/notifications/src/catalogue/catalogue.ts";
	expect(
		reaching.filter((line) => !allowed(line)),
		"call it over HTTP, or share a package",
	).toEqual([]);
});

/** The service a path or a package's name belongs to. */
function serviceOf(target: string): string | undefined {
	const [top, name] = target.split("/");
	const isService =
		top === "services" || (top === "@lango" && existsSync(join(root, "services", name ?? "")));
	return isService ? name : undefined;
}

test("services and packages send HTTP requests by tracedFetch only", () => {
	const others = sources.filter(
		(path) =>
			/^(packages|services)\//.test(path) &&
			!/\.test\.ts$|^packages\/(client|interface|tracing)\/|\/demo\.ts$/.test(path) &&
			/(?<![.\w])fetch\(|globalThis\.fetch|from "undici"/.test(read(path)),
	);
	expect(others, "use tracedFetch: it carries the trace and refuses to run inside a transaction").toEqual([]);
});

test("only stores hold SQL", () => {
	const sql = /[`"]\s*(select\s(?!1[`"])|insert into|update \w+\s+set|delete from|with \w+ as)/i;
	const outside = sources.filter(
		(path) =>
			!/\.(store|test)\.tsx?$/.test(path) && !path.startsWith("packages/postgres/") && sql.test(read(path)),
	);
	expect(outside, "put the statement in a *.store.ts").toEqual([]);
});

test("no folder has a name that says nothing", () => {
	const empty = new Set([
		"common",
		"shared",
		"core",
		"lib",
		"utils",
		"helpers",
		"misc",
		"internal",
		"components",
		"hooks",
	]);
	const named = files.filter((path) =>
		dirname(path)
			.split("/")
			.some((folder) => empty.has(folder)),
	);
	expect(named, "name the folder after the noun it holds").toEqual([]);
});

test("the top of the tree holds the folders it is said to hold", () => {
	const tops = "apps services packages examples tests docs sandbox bench deploy tools".split(" ");
	const folders = new Set(files.filter((path) => path.includes("/")).map((path) => path.split("/")[0] ?? ""));
	const strange = [...folders].filter((folder) => !folder.startsWith(".") && !tops.includes(folder));
	expect(strange, "put it under one of the ten folders").toEqual([]);
});

test("files are named in kebab-case", () => {
	const named = code.filter((path) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(basename(path)));
	expect(named).toEqual([]);
});

test("every package and every service has a README", () => {
	const homes = new Set(files.filter((path) => /^(packages|services)\/[^/]+\//.test(path)).map(home));
	expect([...homes].filter((path) => !existsSync(join(root, path, "README.md")))).toEqual([]);
});

/**
 * Packages with a second entry: for those who use React, for servers that are not a service, and for pages
 * that use no schemas.
 */
const faces: Record<string, object> = {
	"packages/client": { "./react": "./src/react/index.ts" },
	"packages/contracts": {
		"./language": "./src/values/language.ts",
		"./role-names": "./src/role-names.ts",
		"./statement-words": "./src/statement-words.ts",
		"./text": "./src/values/text.ts",
		"./total": "./src/values/total.ts",
		"./time-zone": "./src/values/time-zone.ts",
	},
	"packages/chassis": { "./connections": "./src/limits/connections.ts" },
	// It loads the test runner, which benches that use the testkit do without.
	"packages/testkit": { "./set-up": "./src/set-up.ts" },
};

test("a service exports nothing, a package its index", () => {
	const manifests = files.filter((path) => /^(packages|services)\/[^/]+\/package\.json$/.test(path));
	const wrong = manifests.filter((path) => {
		const expected = path.startsWith("services/") ? {} : { ".": "./src/index.ts", ...faces[home(path)] };
		// A stylesheet cannot be exported by an index.
		const code = Object.entries(JSON.parse(read(path)).exports).filter(([name]) => !name.endsWith(".css"));
		return JSON.stringify(Object.fromEntries(code)) !== JSON.stringify(expected);
	});
	expect(wrong).toEqual([]);
});

/** The accounts of double-entry bookkeeping have no other name. */
const ledger = /^(services|bench)\/treasury\//;

/** A thing of the specification has one name; these are names others give it. */
const rejected: ReadonlyArray<{ word: string; pattern: RegExp; instead: string; allowedIn?: RegExp }> = [
	{ word: "workspace", pattern: /workspace/i, instead: "tenant" },
	{ word: "organisation id", pattern: /\borg(ani[sz]ation)?_?(id|slug)s?\b/i, instead: "tenantId" },
	{
		word: "account id",
		pattern: /\b(account|company|business)_?id\b/i,
		instead: "tenantId or userId",
		allowedIn: ledger,
	},
	{
		word: "account for a tenant",
		pattern:
			/\baccounts?_?(slug|name|plan|owner|status|subscription|admin|settings)s?\b|\b(tenant|current|parent|customer|find|list|create|new|get)_?accounts?\b|create table \w*accounts?\b/i,
		instead: "tenant (of a person: user)",
		allowedIn: ledger,
	},
	{ word: "branch id", pattern: /\b(branch|store|location)_?id\b/i, instead: "outletId" },
	{ word: "person id", pattern: /\b(person|member|people)_?ids?\b/i, instead: "userId" },
];

test.each(rejected)("$word is not a word of the code", ({ pattern, instead, allowedIn }) => {
	const written = [...sources, ...files.filter((path) => path.endsWith(".sql"))];
	expect(
		written.filter((path) => pattern.test(read(path)) && !allowedIn?.test(path)),
		`the word is ${instead}`,
	).toEqual([]);
});

test("what is left to do names its issue", () => {
	const loose = /\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))/;
	const texts = files.filter(
		(path) =>
			/\.(ts|tsx|js|sql|css|html|yaml|yml|sh)$/.test(path) && !/^tools\/tidy[a-z-]*\.test\.ts$/.test(path),
	);
	expect(
		texts.filter((path) => loose.test(read(path))),
		"write TODO(#12): what and why",
	).toEqual([]);
});

test("there are no default exports but those a tool asks for", () => {
	const asked = /(^|\/)(vite|vitest)\.config\.ts$|^\.ci\/under-way\.ts$/;
	const exporting = code.filter((path) => !asked.test(path) && /^export default /m.test(read(path)));
	expect(exporting, "export it by name").toEqual([]);
});

test("pages sort names as people do", () => {
	const sorting = sources.filter((path) => path.startsWith("apps/") && read(path).includes("localeCompare"));
	expect(sorting, "compareNames of packages/interface puts Outlet 2 before Outlet 10").toEqual([]);
});

test("types are not silenced", () => {
	const silent = /@ts-(ignore|nocheck|expect-error)|\bas any\b|: any\b/;
	expect(code.filter((path) => silent.test(read(path)))).toEqual([]);
});

test("no test is skipped or run alone, but those of the bus or Redis where the server is missing", () => {
	const tests = code.filter((path) => /\.test\.tsx?$/.test(path));
	const quiet = /\b(test|it|describe)\.(only|skip|todo|skipIf|runIf(?!\(has(Bus|Redis)\(\)\))|fails)\b/;
	expect(tests.filter((path) => quiet.test(read(path)))).toEqual([]);
});

test("only files named *.mocked.test.ts replace modules: other test files share the modules they load", () => {
	const replacing = code.filter((path) => /\bvi\.(mock|doMock|resetModules)\(/.test(read(path)));
	expect(replacing.filter((path) => !path.endsWith(".mocked.test.ts"))).toEqual([]);
});

test("a migration says in its first line whether it breaks what runs", () => {
	const silent = migrations.filter((path) => !/^-- breaking: (no|yes, because .+)\n/.test(read(path)));
	expect(silent, "begin with -- breaking: no, or -- breaking: yes, because …").toEqual([]);
});

test("no statement returns old or new rows, which PostgreSQL 15 to 17 do not have", () => {
	const statements = [...sources, ...migrations];
	const returning = statements.filter((path) => /\breturning\b[^;`]*\b(old|new)\.\w/.test(read(path)));
	expect(returning, "read the old row in a `with … for update` before").toEqual([]);
});

test("the migrations of a folder are numbered 0001, 0002, … without gaps", () => {
	const numbers = Map.groupBy(migrations, (path) => dirname(path));
	for (const [folder, paths] of numbers) {
		const expected = paths.map((_path, at) => String(at + 1).padStart(4, "0"));
		expect([folder, paths.map((path) => basename(path).slice(0, 4)).toSorted()]).toEqual([folder, expected]);
	}
});

test("an index on a table that is there already is built concurrently, in a file of its own", () => {
	const blocking = migrations.filter((path) => {
		const text = read(path);
		const made = [...text.matchAll(/create table (?:if not exists )?(\w+)/g)].map(([, table]) => table);
		const indexed = [...text.matchAll(/create (?:unique )?index (?!concurrently)\w+\s+on (\w+)/g)];
		return indexed.some(([, table]) => !made.includes(table));
	});
	expect(blocking, "create index concurrently, alone in a file").toEqual([]);
});

test("the lock file names the packages of every platform", () => {
	const missing = Object.keys(listMissing(JSON.parse(read("package-lock.json"))));
	expect(missing, "run: npm run fix").toEqual([]);
});

test("the lock file holds no addresses of a registry", () => {
	expect(read("package-lock.json")).not.toMatch(/"resolved": "https?:/);
});

test("docs/generated and .env.example are current", async () => {
	const { listStale } = await import("./generate.ts");
	expect(listStale(), "run: npm run generate").toEqual([]);
}, 30_000); // It loads every service.

test("commands of operators have all services, in the order of their start", async () => {
	const [{ parts }, { loadService, serviceNames }] = await Promise.all([
		import("./up.ts"),
		import("./up/service-names.ts"),
	]);
	const services = parts.services.map(({ service }) => service);
	expect(serviceNames).toEqual(services.map(({ name }) => name));
	expect(await Promise.all(serviceNames.map(loadService))).toEqual(services);
}, 30_000); // It loads every service.

test("what the platform's owner decides about events and jobs that failed is on record in every service", async () => {
	const { parts } = await import("./up.ts");
	const repairable = parts.services.filter(({ service }) => service.consumes ?? service.jobs);
	expect(repairable).not.toEqual([]);
	const silent = repairable.filter(({ service }) => service.recordPlatformAction === undefined);
	expect(
		silent.map(({ service }) => service.name),
		"say recordPlatformAction in its service.ts",
	).toEqual([]);
}, 30_000); // It loads every service.

/** What every domain service proves of itself, and the words without which it does not. */
const proofs = {
	"test/access.txt": /^GET /m,
	"test/outlets.txt": /^everything /m,
	"test/access.test.ts":
		/\n\tawait expect\(await printPolicy\(stand, policy\)\)\.toMatchFileSnapshot\("access\.txt"\)[\s\S]*\n\tconst \{ called, answered \} = await walkForeign\(stand, policy\);\n\texpect\(answered\)\.toEqual\(\[\]\)[\s\S]*\n\tawait expect\(await printOutlets\(stand, \w+\)\)\.toMatchFileSnapshot\("outlets\.txt"\)/,
	"test/schema.test.ts":
		/\binspectTables\([\s\S]*\n\texpect\(unguarded\)[\s\S]*\n\texpect\(untied\)[\s\S]*\n\texpect\(unbound\)/,
};

test("every domain service has its policy and its outlet matrix printed and walked as a stranger, and its tables looked through", () => {
	const domainServices = files.filter(
		(path) => /^services\/[^/]+\/src\/service\.ts$/.test(path) && read(path).includes("defineDomainService"),
	);
	const lacking = domainServices.flatMap((path) =>
		Object.entries(proofs)
			.map(([file, holds]) => [`${home(path)}/${file}`, holds] as const)
			.filter(([file, holds]) => !files.includes(file) || !holds.test(read(file)))
			.map(([file]) => file),
	);
	expect(domainServices).not.toEqual([]);
	expect(lacking, "copy services/hospital/test/access.test.ts and schema.test.ts").toEqual([]);
});

test("a policy that is not printed or not walked, or whose answers are not checked, is noticed", () => {
	const whole = read("services/hospital/test/access.test.ts");
	const lines = whole
		.split("\n")
		.filter((line) => /^\t.*(printPolicy\(|walkForeign\(|answered\)|printOutlets\()/.test(line));
	expect(lines).toHaveLength(4);
	for (const line of lines)
		expect(whole.replace(line, `\t// ${line}`)).not.toMatch(proofs["test/access.test.ts"]);
});

test("the example of a domain service is at most 260 lines, besides its README and its printed policy", () => {
	const written = files.filter(
		(path) => path.startsWith("examples/bakery/") && !/README|(access|outlets)\.txt$/.test(path),
	);
	const lines = written.reduce((sum, path) => sum + read(path).split("\n").length - 1, 0);
	expect(written).not.toEqual([]);
	expect(lines, "what is long here is long in every service: shorten the chassis").toBeLessThanOrEqual(260);
});

test("what a README shows of a file is in the file", () => {
	const shown = files
		.filter((path) => /README\.md$/.test(path))
		.flatMap((path) => [...read(path).matchAll(/```ts\n\/\/ (examples\/\S+)\n([\s\S]*?)```/g)]);
	const astray = shown
		.filter(([, path = "", text = ""]) => !read(path).includes(text))
		.map(([, path]) => path);
	expect(shown).not.toEqual([]);
	expect(astray, "copy it again").toEqual([]);
});

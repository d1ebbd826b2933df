import { availableParallelism } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { journeys, notOnCluster, ownTests } from "./tests/citus/own-tests.ts";

const database = ["tools/postgres/test-setup.ts"];
/** A transaction that could wait for a connection or an answer fails the test (packages/postgres/README.md). */
const setupFiles = ["packages/testkit/src/database/guard-transactions.ts"];
const browserOnly = "tests/journeys/**/*.browser.test.ts";
/** Tests that replace a module (`vi.mock`) for all that is loaded after it. */
const mocked = "{packages,services}/*/test/**/*.mocked.test.ts";
const faultsOnly = "packages/*/test/**/*.faults.test.ts";
/** The default of `expect.poll`: long, because the machine may be busy. It delays only tests that fail. */
const expect = { poll: { timeout: 20_000 } };
/**
 * .ci/run repeats a failed test once and lists it at the end: two steps share two cores there, and a test that waits
 * for processes, a browser or a clock can run out of time. The unit tests wait for none of these.
 */
const retry = process.env.CI ? 1 : 0;
/** Screenshots of what a service makes, beside its tests. */
const picturesOnly = "services/*/test/**/*.pictures.test.ts";
const exclude = [...configDefaults.exclude, "**/.lango/**"];

const forBrowser = [
	"tests/journeys/build-pages.ts",
	"tests/journeys/prepare-platform.ts",
	"tests/journeys/shared-platform.ts",
];

/** On a Citus cluster, whose addresses are in CITUS_URL: deploy/citus/README.md. */
const citus = process.env.CITUS_URL
	? [
			{
				test: {
					name: "citus",
					// Without notifications the rows of a deleted tenant are removed once a minute.
					expect: { poll: { timeout: 90_000 } },
					include: ["tests/citus/**/*.test.ts", ...ownTests, ...journeys],
					exclude: [...exclude, ...notOnCluster],
					setupFiles: [...setupFiles, "tests/citus/on-cluster.ts"],
					globalSetup: ["tests/journeys/build-pages.ts", "tests/journeys/shared-platform.ts"],
					fileParallelism: false,
					hookTimeout: 300_000,
					testTimeout: 200_000,
				},
			},
		]
	: [];

/**
 * Many tests wait: on two cores `npm test` takes 819 s with two workers, 545 s with four, and 498 s with six.
 * Each worker takes some processor time to load the modules.
 */
const maxWorkers = Math.min(12, 2 * availableParallelism());

/** Workers and the programs that tests start compile the same modules: what one compiled the others load, also in a later run. */
process.env.NODE_COMPILE_CACHE ||= join(import.meta.dirname, ".lango/compile-cache");

/**
 * One runner, by what a test needs. `npm test` runs unit, service, mocked and journey; `browser` needs a Chromium and
 * `starting` brings up whole platforms from fresh clones, `faults` kills processes and the bus, so those run in .ci/run (`npx vitest run --project browser`).
 *
 * With `isolate: false` the files that a worker runs share its process and the modules it has loaded: loading them anew for each file
 * takes about as much processor time as the tests. Such a file restores what it changes of the process (timers, globals).
 */
export default defineConfig({
	test: {
		maxWorkers,
		projects: [
			{
				test: {
					name: "unit",
					isolate: false,
					expect,
					hookTimeout: 60_000,
					testTimeout: 60_000,
					include: [
						"packages/*/src/**/*.test.ts",
						"services/*/src/**/*.test.ts",
						"sandbox/*/src/**/*.test.ts",
						"apps/*/src/**/*.test.{ts,tsx}",
						"tools/**/*.test.ts",
						"bench/!(test)/**/*.test.ts",
						"bench/*.test.ts",
						"deploy/**/*.test.ts",
					],
					exclude,
				},
			},
			{
				test: {
					name: "service",
					isolate: false,
					expect,
					retry,
					include: [
						"packages/*/test/**/*.test.ts",
						"services/*/test/**/*.test.ts",
						"sandbox/*/test/**/*.test.ts",
						"examples/*/test/**/*.test.ts",
						"bench/test/**/*.test.ts",
					],
					exclude: [...exclude, faultsOnly, mocked, picturesOnly],
					setupFiles,
					globalSetup: database,
					hookTimeout: 60_000,
					testTimeout: 60_000,
				},
			},
			{
				test: {
					name: "mocked",
					expect,
					retry,
					include: [mocked],
					exclude,
					setupFiles,
					globalSetup: database,
					hookTimeout: 60_000,
					testTimeout: 60_000,
				},
			},
			{
				test: {
					name: "journey",
					isolate: false,
					expect,
					retry,
					include: ["tests/journeys/**/*.test.ts", "tests/conformance/**/*.test.ts"],
					exclude: [...exclude, browserOnly],
					setupFiles,
					globalSetup: database,
					hookTimeout: 120_000,
					testTimeout: 120_000,
				},
			},
			{
				test: {
					name: "browser",
					isolate: false,
					expect,
					retry,
					include: [browserOnly],
					exclude,
					setupFiles,
					globalSetup: [...database, ...forBrowser],
					hookTimeout: 300_000,
					testTimeout: 240_000,
				},
			},
			{
				// Looked at, not passed: npm run pictures.
				test: {
					name: "pictures",
					expect,
					include: ["tests/pictures/**/*.test.ts", picturesOnly],
					exclude,
					setupFiles,
					globalSetup: [...database, "tests/journeys/build-pages.ts"],
					hookTimeout: 180_000,
					testTimeout: 600_000,
				},
			},
			{
				test: {
					name: "faults",
					expect,
					retry,
					include: ["tests/faults/**/*.test.ts", faultsOnly],
					exclude,
					setupFiles,
					globalSetup: database,
					fileParallelism: false,
					hookTimeout: 120_000,
					testTimeout: 180_000,
				},
			},
			{
				test: {
					name: "starting",
					retry,
					include: ["tests/starting/**/*.test.ts"],
					exclude,
					fileParallelism: false,
					hookTimeout: 400_000,
					testTimeout: 700_000,
				},
			},
			...citus,
		],
	},
});

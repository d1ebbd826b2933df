import { expect, test } from "vitest";
import { listMissing } from "./complete-lock.ts";

const lockWith = (optionalDependencies: Record<string, string>, others: Record<string, object> = {}) => ({
	packages: { "node_modules/tool": { dev: true, optionalDependencies }, ...others },
});

const platforms: ReadonlyArray<readonly [name: string, entry: object]> = [
	["@tool/cli-linux-x64-musl", { os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
	["@tool/cli-darwin-arm64", { os: ["darwin"], cpu: ["arm64"] }],
	["@tool/binding-linux-arm-gnueabihf", { os: ["linux"], cpu: ["arm"] }],
	["@tool/oxide-wasm32-wasi", { cpu: ["wasm32"] }],
];

test.each(platforms)("%s is added for its platform only", (name, entry) => {
	expect(listMissing(lockWith({ [name]: "1.2.3" }))).toEqual({
		[`node_modules/${name}`]: { version: "1.2.3", dev: true, optional: true, ...entry },
	});
});

test("a package that the lock file has, at the top or below the package, is not added again", () => {
	const top = { "node_modules/tool-linux-x64": {} };
	const below = { "node_modules/tool/node_modules/tool-linux-x64": {} };
	expect(listMissing(lockWith({ "tool-linux-x64": "1.0.0" }, top))).toEqual({});
	expect(listMissing(lockWith({ "tool-linux-x64": "1.0.0" }, below))).toEqual({});
});

test("a package without a platform in its name is an error that names the package", () => {
	expect(() => listMissing(lockWith({ "fast-thing": "1.0.0" }))).toThrow("lacks fast-thing");
});

import { writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

const file = process.env.UNDER_WAY_FILE ?? ".lango/results/under-way.json";
const names = new Set<string>();
const nameOf = ({ module, fullName }: TestCase) => `${module.relativeModuleId} > ${fullName}`;

function begin(name: string): void {
	names.add(name);
	note();
}

function end(name: string): void {
	names.delete(name);
	note();
}

const note = () => writeFileSync(file, JSON.stringify([...names]));

/**
 * Keeps a file of what is in progress (`UNDER_WAY_FILE`, a JSON list of names), so that a run which had to be
 * killed still says where it hung. Vitest makes an instance of a reporter named by its path.
 */
export default class UnderWay implements Reporter {
	onTestModuleStart = ({ relativeModuleId }: TestModule) => begin(relativeModuleId);
	onTestModuleEnd = ({ relativeModuleId }: TestModule) => end(relativeModuleId);
	onTestCaseReady = (test: TestCase) => begin(nameOf(test));
	onTestCaseResult = (test: TestCase) => end(nameOf(test));
	onTestRunEnd = () => writeFileSync(file, JSON.stringify(["the end of the run"]));
}

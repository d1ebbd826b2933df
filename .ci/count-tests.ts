import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
const failureLinesMax = 25;

/**
 * How many tests of a step passed, failed and were skipped, what failed with the reason, and what failed once
 * and passed when it was repeated.
 */
export type Sum = {
	passed: number;
	failed: number;
	skipped: number;
	failures: readonly string[];
	flaky: readonly string[];
};

/** A step without tests counts as one failure when it ends with another code than 0. */
export function countCommand(step: string, code: number): Sum {
	if (code === 0) return { passed: 0, failed: 0, skipped: 0, failures: [], flaky: [] };
	return { passed: 0, failed: 1, skipped: 0, failures: [`${step}: ended with ${code}`], flaky: [] };
}

/**
 * Reads the JSON report of a run of Vitest. A file that failed before its tests ran, and a run that failed
 * without naming a test, count as one failure each.
 */
export function countTests(step: string, file: string, code: number): Sum {
	const report = readReport(file);
	const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
		const failed = assertionResults.filter((test) => test.status === "failed");
		if (status === "failed" && failed.length === 0) return [describeFailure(name, message)];
		return failed.map(({ fullName, failureMessages }) =>
			describeFailure(`${name}: ${fullName}`, failureMessages.join("\n")),
		);
	});
	const flaky = report.testResults.flatMap(({ name, assertionResults }) =>
		assertionResults
			.filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0)
			.map(({ fullName, failureMessages }) =>
				describeFailure(`${name}: ${fullName}`, failureMessages.join("\n")),
			),
	);
	if (failures.length === 0 && code !== 0) failures.push(`${step}: ended with ${code}`);
	return {
		passed: report.numPassedTests,
		failed: failures.length,
		skipped: report.numPendingTests,
		failures,
		flaky,
	};
}

/** What failed and the first lines of the reason; the step's output, which may be cut off, has all of it. */
function describeFailure(what: string, message: string | undefined): string {
	const ownLines = (message ?? "").split("\n").filter((line) => !line.includes("/node_modules/"));
	const why = ownLines.slice(0, failureLinesMax);
	return [relative(root, what), ...why.map((line) => `    ${line.slice(0, 300)}`)].join("\n");
}

type Report = {
	numPassedTests: number;
	numPendingTests: number;
	testResults: Array<{
		name: string;
		status: string;
		message?: string;
		assertionResults: Array<{ status: string; fullName: string; failureMessages: string[] }>;
	}>;
};

function readReport(file: string): Report {
	try {
		return JSON.parse(readFileSync(file, "utf8"));
	} catch {
		return { numPassedTests: 0, numPendingTests: 0, testResults: [] };
	}
}

/**
 * What a person loses or ends looks so on every page: the button, and the confirmation that it opens. What
 * cannot be brought back asks for a name first. Both are found by the words of the source.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "apps"], {
	cwd: root,
	encoding: "utf8",
})
	.split("\n")
	.filter((path) => /\/pages\/.*\.tsx$/.test(path) && existsSync(join(root, path)));

/** A part of a name that says that something is lost or ends, such as "revoke" in `RevokeButton`. */
const verbs =
	/\b(?:remove|delete|revoke|retire|withdraw|discard|decline|reject|cancel|suspend|stop|reset|end|archive|halt|pause|switchOff)|(?:Remove|Delete|Revoke|Retire|Withdraw|Discard|Decline|Reject|Cancel|Suspend|Stop|Reset|Archive|Halt|Pause)(?![a-z])|End(?=[A-Z])|"DELETE"/;
/** What is not about the action: what happens after it, and the names of its texts. */
const beside = /\b(?:onDone|redirect|invalidates|messages|fieldMessages|check|className|key|lead|done)=/;

/** Actions whose words deceive: they bring something back, or end something under another name. */
const restoring = ["halts-page.tsx LiftButton", "suppressions-page.tsx useColumns"];
const ending = ["adjustments-page.tsx Decide", "client-page.tsx SecretCard", "provider-page.tsx WebhookCard"];
/** What cannot be brought back. */
const irreversible = [
	"api-keys/use-key-columns.tsx Revoke",
	"clients/client-page.tsx Remove",
	"clients/client-page.tsx SecretCard",
	"failures/dead-letters.tsx Actions",
	"gateways/credentials.tsx RetireButton",
	"keys/keys-page.tsx Revoke",
	"payment-settings/counter-section.tsx CounterSection",
	"plans/item-page.tsx Retire",
	"plans/next-version-page.tsx VersionForm",
	"providers/provider-page.tsx Actions",
	"providers/provider-page.tsx WebhookCard",
	"triggers/trigger-page.tsx Actions",
];
/**
 * What cannot be brought back either, but asks without a name: it was requested by another person, and its
 * title or text has the amount and the payees or accounts.
 */
const approving = [
	"adjustments/adjustments-page.tsx Decide",
	"bulk/bulk-page.tsx ApproveAllButton",
	"payouts/decide-buttons.tsx ApproveButton",
];

type Action = { at: string; says: boolean; isDestructive: boolean; asksByName: boolean };

/** The buttons of a page that act, with their attributes. The formatter decides where an element ends. */
function actionsOf(path: string): Action[] {
	const text = readFileSync(join(root, path), "utf8");
	const elements =
		/^(\t*)[^\n]*?<(ConfirmButton|ConfirmDialog|FormButton|Button)\b([^\n]*?\/?>[^\n]*$|[\s\S]*?^\1\/?>(?:[\s\S]*?<\/\2>)?)/gm;
	return [...text.matchAll(elements)].map(([, , kind = "", source = ""], index, all) => {
		const before = text.slice(0, all[index]?.index);
		const component = [...before.matchAll(/\bfunction (\w+)/g)].at(-1)?.[1] ?? "";
		const at = `${path.split("/").slice(-2).join("/")} ${component}`;
		const own = source.split(/\n\t*(?=\{?[.\w]+[=}\n])/).filter((attribute) => !beside.test(attribute));
		const words = [kind === "Button" ? "" : component, ...own].join(" ");
		return {
			at,
			says: isOneOf(ending, at) || (verbs.test(words) && !isOneOf(restoring, at)),
			isDestructive: /\bisDestructive\b|kind="(?:remove|danger|quietRemove)"/.test(source),
			asksByName: /\basksByName\b|\btyped=/.test(source),
		};
	});
}

const isOneOf = (some: readonly string[], at: string) => some.some((end) => at.endsWith(end));
const actions = pages.flatMap(actionsOf);

test("the actions of both apps are found", () => {
	expect(actions.length).toBeGreaterThan(150);
	expect(actions.filter(({ isDestructive }) => isDestructive).length).toBeGreaterThan(30);
});

test("an action looks destructive if something is lost or ends, and only then", () => {
	const wrong = actions.filter(({ says, isDestructive }) => says !== isDestructive);
	expect(wrong.map(({ at }) => at)).toEqual([]);
});

test("an action that cannot be undone asks for a name first", () => {
	const asking = actions.filter(({ asksByName }) => asksByName);
	expect(asking.map(({ at }) => at).toSorted()).toEqual(irreversible);
	const requested = actions.filter(({ at, asksByName }) => approving.includes(at) && !asksByName);
	expect(requested.map(({ at }) => at).toSorted()).toEqual(approving);
});

test("the button that opens a dialog says so: by that the journeys find every dialog", () => {
	const isDialog = /(?:-dialog|\/audit-details)\.tsx$/;
	const isOpenedBySessionEnd = /\/signed-in-only\.tsx$/;
	const opened = pages.filter((path) => !isDialog.test(path) && !isOpenedBySessionEnd.test(path));
	const silent = opened.filter((path) => {
		const text = readFileSync(join(root, path), "utf8");
		return /<\w*Dialog\b/.test(text) && !/aria-haspopup="dialog"|\bopensDialog\b/.test(text);
	});
	expect(silent).toEqual([]);
});

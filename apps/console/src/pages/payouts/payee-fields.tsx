import { SelectField, TextField } from "@lango/interface";
import type { Field } from "../../forms/submit-form.tsx";
import { commandsOf, shortcodeKinds } from "./payout.queries.ts";
import { numberKind, usePayee } from "./payout-payee.ts";
import { usePayoutTexts } from "./texts.ts";

type Names = "kind" | "command" | "to" | "account";

type PayeeFields = {
	field: Field;
	/** The name of each field. */
	nameOf: (name: Names) => string;
	/** What the fields begin with. */
	first?: Readonly<Record<Names, string>>;
};

const own = { kind: "", command: "", to: "", account: "" };

/** The payee of mobile money, and the way to pay it: a phone, a till, a business at its paybill or till. */
export function PayeeFields({ field, nameOf, first = own }: PayeeFields) {
	const words = usePayoutTexts();
	const { kind, command, setKind, setCommand } = usePayee(first);
	const number = numberKind(kind, command);
	return (
		<>
			<SelectField
				{...field(nameOf("kind"))}
				label={words.kind}
				value={kind}
				onChange={({ target }) => setKind(target.value)}
				options={shortcodeKinds.map((value) => ({ value, label: words.kinds[value] }))}
			/>
			{(kind === "customer" || kind === "business") && (
				<SelectField
					{...field(nameOf("command"))}
					label={words.command[kind]}
					value={command}
					onChange={({ target }) => setCommand(target.value)}
					options={commandsOf[kind].map((value) => ({ value, label: words.commands[value] }))}
				/>
			)}
			{number !== "own_working" && (
				<TextField
					key={kind === "customer" ? "phone" : "number"}
					{...field(nameOf("to"))}
					type={kind === "customer" ? "tel" : "text"}
					label={words.toLabel[number]}
					defaultValue={first.to}
					inputMode="numeric"
					autoComplete="off"
					maxLength={20}
				/>
			)}
			{command === "BusinessPayBill" && (
				<TextField
					{...field(nameOf("account"))}
					label={words.accountNumber}
					defaultValue={first.account}
					autoComplete="off"
					maxLength={12}
				/>
			)}
		</>
	);
}

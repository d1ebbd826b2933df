import { ChecksField, SelectField, TextField } from "@lango/interface";
import { useState } from "react";
import { FormButton } from "../../../dialogs/form-button.tsx";
import { CheckField } from "../../../fields/check-field.tsx";
import { errorsOf } from "../../../forms/rules.ts";
import type { Field } from "../../../forms/submit-form.tsx";
import { usePlatform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { endOfDay, startOfDay } from "../../../tenant/day-in-zone.ts";
import { useZone } from "../../../tenant/use-tenant.ts";
import { channels } from "../../templates/draft/templates.queries.ts";
import { useTemplateTexts } from "../../templates/draft/texts.ts";
import { messagesKey, redrive, resendable } from "../state/message.queries.ts";
import { useMessageTexts } from "../state/texts.ts";

/** Sends every delivery of a filter again that ended without arriving. */
export function RedriveButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const { errors, redrives: words } = useMessageTexts();
	const zone = useZone();
	return (
		<FormButton
			label={words.start}
			lead={words.startLead}
			confirm={words.start}
			busyText={words.starting}
			messages={errors}
			check={(entered) => {
				const { from, to } = readDays(entered, zone);
				return errorsOf([
					[entered.getAll("status").length === 0, "status", words.missingStatus],
					[from !== undefined && to !== undefined && from >= to, "to", words.wrongDays],
				]);
			}}
			action={(entered) => redrive(platform, scope, readBody(entered, zone))}
			invalidates={messagesKey(scope)}
			done={({ matched, left_out }) => words.started(matched, left_out)}
		>
			{(field) => <Fields field={field} />}
		</FormButton>
	);
}

function Fields({ field }: { field: Field }) {
	const { statuses, anyValue, from, to, redrives: words, ...texts } = useMessageTexts();
	const { channelNames, categories } = useTemplateTexts();
	const [mayDuplicate, setMayDuplicate] = useState(false);
	const choices = (names: Readonly<Record<string, string>>) => [
		{ value: "", label: anyValue },
		...Object.entries(names).map(([value, label]) => ({ value, label })),
	];
	return (
		<>
			<ChecksField
				{...field("status")}
				legend={words.status}
				checked={["failed", "dead"]}
				choices={resendable.map((value) => ({ value, label: statuses[value] ?? value }))}
			/>
			<SelectField
				{...field("channel")}
				label={texts.channel}
				options={choices(Object.fromEntries(channels.map((one) => [one, channelNames[one]])))}
			/>
			<SelectField {...field("category")} label={texts.category} options={choices(categories)} />
			<TextField
				{...field("template")}
				isOptional
				autoComplete="off"
				maxLength={101}
				label={texts.template}
			/>
			<TextField
				{...field("error_code")}
				isOptional
				autoComplete="off"
				maxLength={100}
				label={words.errorCode}
			/>
			<TextField {...field("from")} isOptional type="date" label={from} />
			<TextField {...field("to")} isOptional type="date" label={to} />
			<CheckField
				{...field("may_duplicate")}
				label={words.mayDuplicate}
				hint={words.mayDuplicateHint}
				isChecked={mayDuplicate}
				onChange={setMayDuplicate}
			/>
		</>
	);
}

const readDays = (entered: FormData, zone: string) => ({
	from: startOfDay(String(entered.get("from") ?? ""), zone),
	to: endOfDay(String(entered.get("to") ?? ""), zone),
});

function readBody(entered: FormData, zone: string) {
	const { from, to } = readDays(entered, zone);
	const texts = ["channel", "category", "template", "error_code"].flatMap((name) => {
		const text = String(entered.get(name) ?? "").trim();
		return text === "" ? [] : [[name, text]];
	});
	return {
		status: entered.getAll("status"),
		...Object.fromEntries(texts),
		...(from !== undefined && { from: from.toISOString() }),
		...(to !== undefined && { to: to.toISOString() }),
		may_duplicate: entered.get("may_duplicate") !== null,
	};
}

import { Dialog } from "@lango/interface";
import { useAuditTexts } from "../../audit/texts.ts";
import { DetailRows } from "../../layout/details.tsx";
import { useFormat } from "../../tenant/use-format.ts";
import { asWords, wordFor } from "../../texts/texts.ts";
import { type AuditRow, listChanges } from "./audit-row.ts";
import { useAuditPageTexts } from "./texts.ts";
import { useFormatValue } from "./use-format-value.ts";
import { useNameAction, useNameActor } from "./use-names.ts";

type AuditDetails = { slug: string; row: AuditRow; onClose: () => void };

/** All data of one entry: actor, time, origin, and the values before and after. */
export function AuditDetails({ slug, row, onClose }: AuditDetails) {
	const words = useAuditPageTexts();
	const { fields } = useAuditTexts();
	const say = useFormatValue(slug);
	const nameActor = useNameActor();
	const nameAction = useNameAction();
	const format = useFormat();
	const changes = listChanges(row.before, row.after);
	const rows = [
		[words.who, nameActor(row)],
		[words.about, row.subject],
		[words.since, row.visit === undefined ? null : format.time(row.visit.since)],
		[words.at, format.time(row.at)],
		[words.ip, row.ip],
		[words.request, row.requestId],
	] as const;
	return (
		<Dialog title={nameAction(row.action)} onClose={onClose}>
			<DetailRows rows={rows} />
			{changes.length > 0 && (
				<>
					<h3 className="mt-6 mb-2 font-semibold">{words.changes}</h3>
					<dl className="divide-y divide-hair border-y border-hair">
						{changes.map(({ key, before, after }) => (
							<div key={key} className="py-2">
								<dt className="font-semibold">{nameField(key, fields)}</dt>
								{before !== undefined && (
									<dd className="wrap-anywhere text-quiet">
										{words.before}: {say(key, before)}
									</dd>
								)}
								{after !== undefined && (
									<dd className="wrap-anywhere">
										{words.after}: {say(key, after)}
									</dd>
								)}
							</div>
						))}
					</dl>
				</>
			)}
		</Dialog>
	);
}

/** The name of a field; without one, the last part of its key as words. */
function nameField(key: string, fields: Readonly<Record<string, string>>): string {
	const name = key.slice(key.lastIndexOf(".") + 1);
	return Object.hasOwn(fields, name) ? wordFor(fields, name) : asWords(name);
}

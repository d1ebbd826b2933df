import { Button, SelectField, useKeptState } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useGrantKeys } from "../../../forms/grant-keys.ts";
import { SubmitForm } from "../../../forms/submit-form.tsx";
import { BackLink } from "../../../layout/back-link.tsx";
import { Page } from "../../../layout/page.tsx";
import { useWholeList } from "../../../lists/searched-list.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { showToast } from "../../../notices/toast.ts";
import { usePlatform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { useTenant } from "../../../tenant/use-tenant.ts";
import { ServiceGate } from "../../access/service-gate.tsx";
import { type Recipient, recipientsAddress, recipientsKey } from "../../recipients/recipient.queries.ts";
import { balancesQuery } from "../../statement/statement.queries.ts";
import { usePayoutTexts } from "../texts.ts";
import { requestBulk } from "./bulk.queries.ts";
import { checkBulk, readBulk, sumOf } from "./bulk-form.ts";
import { type BulkRow, makeRow, type Rail, reserveKeys } from "./bulk-row.ts";
import { BulkRowFields, TwiceField } from "./bulk-row-fields.tsx";
import { PasteButton } from "./paste-button.tsx";
import { useBulkTexts } from "./texts.ts";

const route = getRouteApi("/$slug/payouts/bulk");

/** `/{slug}/payouts/bulk`: many payouts at once, entered in rows or pasted. */
export function NewBulkPage() {
	const { slug } = route.useParams();
	const platform = usePlatform();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.payouts.add">
			{(scope) => <WithRecipients scope={scope} address={recipientsAddress(platform, scope)} />}
		</ServiceGate>
	);
}

function WithRecipients({ scope, address }: { scope: ServiceScope; address: string }) {
	const found = useWholeList<Recipient>({ key: recipientsKey(scope), address, outlet: "none" });
	return (
		<Loaded query={found} isMain>
			{(all) => <NewBulk scope={scope} recipients={all.filter(({ status }) => status === "active")} />}
		</Loaded>
	);
}

type Props = { scope: ServiceScope; recipients: readonly Recipient[] };

function NewBulk({ scope, recipients }: Props) {
	const words = useBulkTexts();
	const { title } = usePayoutTexts();
	const [rail, setRail] = useState<Rail>("card_gateway");
	const [rows, setRows, isKept] = useKeptState<readonly BulkRow[]>("rows", () => [makeRow()]);
	const [isTouched, setTouched] = useState(() => {
		reserveKeys(rows);
		return isKept;
	});
	const change = (changed: readonly BulkRow[]) => {
		setTouched(true);
		setRows(changed);
	};
	return (
		<>
			<BackLink to="/$slug/payouts" params={{ slug: scope.slug }}>
				{title}
			</BackLink>
			<Page
				title={words.title}
				lead={words.lead}
				actions={
					<PasteButton
						{...{ rail, recipients }}
						// The empty row of the beginning is not kept.
						onPaste={(pasted) => change([...(isTouched ? rows : []), ...pasted])}
					/>
				}
			>
				<BulkForm
					{...{ scope, recipients, rail, rows, isTouched }}
					onRail={setRail}
					onRows={change}
					onTouch={() => !isTouched && change([...rows])}
				/>
			</Page>
		</>
	);
}

type Form = Props & {
	rail: Rail;
	rows: readonly BulkRow[];
	/** Whether rows have entries, or were pasted, added or removed. */
	isTouched: boolean;
	onRail: (rail: Rail) => void;
	onRows: (rows: readonly BulkRow[]) => void;
	onTouch: () => void;
};

function BulkForm({ scope, recipients, rail, rows, isTouched, onRail, onRows, onTouch }: Form) {
	const words = useBulkTexts();
	const payout = usePayoutTexts();
	const checking = useChecking(scope, rows);
	const attempt = useAsking(scope, checking);
	const { frame, sumMinor, add } = useSum(rows, checking);
	const format = useFormat();
	const note = ({ target }: FormEvent) => {
		add();
		if ("name" in target && target.name !== "rail") onTouch();
	};
	return (
		<div ref={frame} onInput={note}>
			<SubmitForm
				submit={words.ask(String(rows.length))}
				submitting={words.asking}
				isBusy={attempt.isPending}
				failure={attempt.error}
				isChanged={isTouched}
				check={(entered) => checkBulk(entered, { ...checking, words: payout, bulk: words })}
				messages={payout.errors}
				onSubmit={(entered) => attempt.mutate(entered)}
				aside={<p className="self-center">{words.sum(format.money(sumMinor, checking.currency))}</p>}
			>
				{(field) => (
					<>
						<SelectField
							{...field("rail")}
							label={payout.rail}
							value={rail}
							onChange={({ target }) =>
								onRail(target.value === "mobile_money" ? "mobile_money" : "card_gateway")
							}
							options={Object.entries(payout.rails).map(([value, label]) => ({ value, label }))}
						/>
						{rows.map((row, place) => (
							<BulkRowFields
								key={row.key}
								{...{ row, rail, recipients, field, number: place + 1 }}
								currency={checking.currency}
								onRemove={
									rows.length > 1 ? () => onRows(rows.filter(({ key }) => key !== row.key)) : undefined
								}
							/>
						))}
						<Button className="mt-5" onClick={() => onRows([...rows, makeRow()])}>
							{words.add}
						</Button>
						<TwiceField label={words.twice} />
					</>
				)}
			</SubmitForm>
		</div>
	);
}

/** What the rows come to, added up again with each entry and each change of the rows. */
function useSum(rows: readonly BulkRow[], { currency }: { currency: string }) {
	const frame = useRef<HTMLDivElement>(null);
	const [sumMinor, setSum] = useState(0);
	const add = () => {
		const form = frame.current?.querySelector("form");
		if (form) setSum(sumOf(new FormData(form), { keys: rows.map(({ key }) => key), currency }));
	};
	useEffect(add, [rows, currency]);
	return { frame, sumMinor, add };
}

/** What rows are checked against: the balance is read again, as a settlement may have raised it. */
function useChecking(scope: ServiceScope, rows: readonly BulkRow[]) {
	const balances = useQuery({ ...balancesQuery(usePlatform(), scope), staleTime: 0 }).data;
	return {
		keys: rows.map(({ key }) => key),
		currency: useTenant()?.currency ?? "KES",
		availableMinor: balances?.platform_custody["available"],
	};
}

type Asked = { keys: readonly string[]; currency: string };

/** Asks for the payouts, and opens them. A request that is sent twice takes effect once. */
function useAsking(scope: ServiceScope, asked: Asked) {
	const platform = usePlatform();
	const navigate = useNavigate();
	const queries = useQueryClient();
	const { done } = useBulkTexts();
	const grants = useGrantKeys("payouts");
	return useMutation({
		mutationFn: (entered: FormData) => {
			const items = readBulk(entered, asked);
			const idempotencyKey = grants.keyFor(JSON.stringify(items));
			return requestBulk(platform, scope, { items, keys: asked.keys, idempotencyKey });
		},
		onSuccess: async ({ batch_id: id }) => {
			grants.forget();
			await queries.invalidateQueries({ queryKey: ["treasury", scope.slug] });
			await navigate({ to: "/$slug/payouts/bulk/$id", params: { slug: scope.slug, id } });
			showToast("done", done);
		},
	});
}

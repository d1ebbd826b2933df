import { isInScope, type OutletScope } from "@lango/client";
import { useClientState } from "@lango/client/react";
import { SelectField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../dialogs/form-dialog.tsx";
import { CheckList } from "../../fields/check-list.tsx";
import { errorsOf } from "../../forms/rules.ts";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { outletsQuery } from "../../tenant/tenant.queries.ts";
import { permissionsQuery } from "../access/access.queries.ts";
import { useAccessTexts } from "../access/texts.ts";
import { apiKeysKey, type CreatedApiKey, createApiKey } from "./api-key.queries.ts";
import { type CreatorPermissions, listGrantable } from "./grantable.ts";
import { nameKeyPermission } from "./name-key-permission.ts";
import { useApiKeyTexts } from "./texts.ts";

const daysOffered = [7, 30, 90, 365];
const daysDefault = 90;
/** The value of the option "no expiry". */
const noEnd = 0;
/** The maximum number of outlets of a key that the service accepts. */
const outletsMax = 50;
const dayMilliseconds = 86_400_000;

type CreateKeyDialog = {
	scope: ServiceScope;
	creator: CreatorPermissions;
	onDone: (created: CreatedApiKey) => unknown;
	onClose: () => void;
};

/** Creates an API key: its name, its permissions, its outlets and how long it is valid. */
export function CreateKeyDialog({ scope, creator, onDone, onClose }: CreateKeyDialog) {
	const platform = usePlatform();
	const words = useApiKeyTexts();
	const [name, setName] = useState("");
	const [permissions, setPermissions] = useState<readonly string[]>([]);
	const [outletIds, setOutletIds] = useState<readonly string[]>([]);
	const [days, setDays] = useState(daysDefault);
	const check = () =>
		errorsOf([
			[name.trim() === "", "name", words.missingName],
			[permissions.length === 0, "permissions", words.missingPermissions],
			[outletIds.length > outletsMax, "outlet_ids", words.tooManyOutlets(outletsMax)],
		]);
	const create = () =>
		createApiKey(platform, scope, {
			name: name.trim(),
			permissions,
			expires_at: days === noEnd ? null : new Date(Date.now() + days * dayMilliseconds).toISOString(),
			...(outletIds.length > 0 && { outlet_ids: outletIds }),
		});
	return (
		<FormDialog
			title={words.createTitle}
			confirm={words.create}
			busyText={words.creating}
			messages={words.errors}
			check={check}
			action={create}
			onDone={onDone}
			invalidates={apiKeysKey(scope)}
			done={(made) => words.createdToast(made.name)}
			onClose={onClose}
		>
			{(field) => (
				<>
					<TextField
						{...field("name")}
						isProse
						autoComplete="off"
						maxLength={200}
						label={words.name}
						hint={words.nameHint}
						value={name}
						onChange={(event) => setName(event.target.value)}
					/>
					<PermissionList
						scope={scope}
						creator={creator}
						chosen={permissions}
						onChange={setPermissions}
						{...field("permissions")}
					/>
					<OutletList slug={scope.slug} chosen={outletIds} onChange={setOutletIds} {...field("outlet_ids")} />
					<ValidFor days={days} onChange={setDays} {...field("expires_at")} />
				</>
			)}
		</FormDialog>
	);
}

type ValidFor = {
	days: number;
	onChange: (days: number) => void;
	isInvalid: boolean;
	error: string | undefined;
};

function ValidFor({ days, onChange, isInvalid, error }: ValidFor) {
	const words = useApiKeyTexts();
	return (
		<SelectField
			name="expires_at"
			label={words.validFor}
			value={`${days}`}
			onChange={(event) => onChange(Number(event.target.value))}
			isInvalid={isInvalid}
			error={error}
			options={[
				...daysOffered.map((count) => ({ value: `${count}`, label: words.days(count) })),
				{ value: `${noEnd}`, label: words.forever },
			]}
		/>
	);
}

type List = {
	chosen: readonly string[];
	onChange: (chosen: readonly string[]) => void;
	isInvalid: boolean;
	error: string | undefined;
};

/** Selects from the user's own permissions. */
function PermissionList({
	scope,
	creator,
	...list
}: List & { scope: ServiceScope; creator: CreatorPermissions }) {
	const mayList = isGranted(creator.granted, `${scope.service}.permissions.view`);
	const declared = useQuery({ ...permissionsQuery(usePlatform(), scope), enabled: mayList });
	const codesOf = (all?: readonly string[]) => listGrantable(scope.service, all, creator);
	if (!mayList) return <PermissionChoices codes={codesOf()} {...list} />;
	return (
		<Loaded query={declared}>
			{(all) => <PermissionChoices codes={codesOf(all.map(({ code }) => code))} {...list} />}
		</Loaded>
	);
}

function PermissionChoices({ codes, ...list }: List & { codes: readonly string[] }) {
	const words = useApiKeyTexts();
	const access = useAccessTexts();
	if (codes.length === 0) return <p className="mt-5 text-quiet">{words.nothingToGrant}</p>;
	return (
		<CheckList
			name="permissions"
			legend={words.grants}
			hint={words.grantsHint}
			choices={codes.map((code) => ({
				value: code,
				label: nameKeyPermission(code, { words, access }),
				detail: code,
			}))}
			{...list}
		/>
	);
}

/** Selects from the outlets in the user's scope. Hidden if there are fewer than two. */
function OutletList({ slug, ...list }: List & { slug: string }) {
	const words = useApiKeyTexts();
	const scope = useOutletScope();
	const outlets = useQuery(outletsQuery(usePlatform(), slug)).data ?? [];
	const offered = outlets.filter(({ id }) => scope !== undefined && isInScope(scope, id));
	if (scope?.kind === "any" || offered.length < 2) return null;
	return (
		<CheckList
			name="outlet_ids"
			legend={words.outlets}
			hint={words.outletsHint}
			choices={offered.map(({ id, name, code }) => ({ value: id, label: name, detail: code }))}
			{...list}
		/>
	);
}

function useOutletScope(): OutletScope | undefined {
	const state = useClientState();
	return state.status === "ready" ? state.outletScope : undefined;
}

import type { NewInvitation } from "@lango/contracts";
import { isEmail } from "@lango/contracts/text";
import { Dialog, SelectField, TextField } from "@lango/interface";
import { useState } from "react";
import { FormDialog } from "../../dialogs/form-dialog.tsx";
import { CopiedText } from "../../fields/copied-text.tsx";
import { errorsOf } from "../../forms/rules.ts";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { type Grant, GrantFields } from "./grant-fields.tsx";
import { type Invited, invite, peopleKey } from "./people.queries.ts";
import { usePeopleTexts } from "./texts.ts";

const daysOffered = [1, 3, 7, 14, 30];
const daysDefault = 7;
const nothing: Grant = { roles: [], outletIds: [], isHq: false };

/** Invites an e-mail address, then shows the link once. */
export function InviteDialog({ slug, onClose }: { slug: string; onClose: () => void }) {
	const [invited, setInvited] = useState<Invited>();
	return invited === undefined ? (
		<InviteForm slug={slug} onClose={onClose} onInvited={setInvited} />
	) : (
		<InvitedDialog invited={invited} onClose={onClose} />
	);
}

type InviteForm = { slug: string; onClose: () => void; onInvited: (invited: Invited) => void };

function InviteForm({ slug, onClose, onInvited }: InviteForm) {
	const platform = usePlatform();
	const words = usePeopleTexts();
	const [email, setEmail] = useState("");
	const [grant, setGrant] = useState(nothing);
	const [days, setDays] = useState(daysDefault);
	const emailError = email.trim() === "" ? words.missingEmail : words.invalidEmail;
	const check = () =>
		errorsOf([
			[!isEmail(email.trim()), "email", emailError],
			[grant.roles.length === 0, "roles", words.missingRoles],
		]);
	const invitation = {
		email: email.trim(),
		roles: grant.roles,
		outlet_ids: grant.isHq ? [] : grant.outletIds,
		is_hq: grant.isHq,
		expires_in_days: days,
	} as NewInvitation;
	return (
		<FormDialog
			title={words.inviteTitle}
			confirm={words.inviteSend}
			busyText={words.inviting}
			messages={words.errors}
			check={check}
			action={() => invite(platform, slug, invitation)}
			onDone={onInvited}
			invalidates={peopleKey(slug)}
			onClose={onClose}
		>
			{(field) => (
				<>
					<TextField
						{...field("email")}
						type="email"
						autoComplete="off"
						label={words.email}
						value={email}
						onChange={(event) => setEmail(event.target.value)}
					/>
					<GrantFields slug={slug} grant={grant} onChange={setGrant} field={field} />
					<SelectField
						{...field("expires_in_days")}
						label={words.expires}
						value={`${days}`}
						onChange={(event) => setDays(Number(event.target.value))}
						options={daysOffered.map((value) => ({ value: `${value}`, label: words.expiresDays(value) }))}
					/>
				</>
			)}
		</FormDialog>
	);
}

function InvitedDialog({ invited, onClose }: { invited: Invited; onClose: () => void }) {
	const words = usePeopleTexts();
	const format = useFormat();
	return (
		<Dialog title={words.invitedTitle} onClose={onClose}>
			<p className="wrap-anywhere">{words.invited(invited.email, format.time(invited.expires_at))}</p>
			<p className="mt-3 text-quiet">{words.byHand}</p>
			<CopiedText label={words.link} text={invited.url} />
		</Dialog>
	);
}

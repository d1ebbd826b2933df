-- breaking: no

-- What a person has to decide, too: one payment that was counted twice, and a prompt about which the gateway says nothing.

alter table exceptions drop constraint exceptions__class_check;
alter table exceptions add constraint exceptions__class_check check (class in ('amount', 'currency', 'duplicate', 'missing_there'));
